// Node patterns: which nodes the caller wants left as they are, by name and operator.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Nodes by names, in which * stands for any text, and by operators.
struct NodeSelection {
  std::vector<std::string> excluded;
  std::vector<std::string> only;  ///< empty: all that are not excluded
  std::vector<std::string> excluded_types;
};

/// Patterns over the names of the model as it was given, whatever became of its nodes since.
class NodePatterns {
 public:
  /// `given` is the model before anything was done to it. Throws ErrorCode::invalid for a pattern
  /// that no node fits, with the nearest name, and for operators that the model has not.
  NodePatterns(NodeSelection selection, const Model& given);

  /// Why the options leave the node as it is; empty where they do not. A node that stands for
  /// several of the file's is left when one of them is.
  std::string refusal(const Node& node) const;
  /// Whether the selection names the node.
  bool is_wanted(const Node& node) const;

 private:
  std::vector<std::string> excluded_;
  std::vector<std::string> only_;
  std::vector<std::string> excluded_types_;
};

}  // namespace ortool
