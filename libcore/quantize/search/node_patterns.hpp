// Node patterns: selection of nodes by name and operator type.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Nodes by name, where * matches any text, and by operator type.
struct NodeSelection {
  std::vector<std::string> excluded;
  std::vector<std::string> only;  ///< empty: all that are not excluded
  std::vector<std::string> excluded_types;
};

/// Matches patterns against the node names of the original model, whatever became of the nodes
/// since.
class NodePatterns {
 public:
  /// `given` is the original model. Throws ErrorCode::invalid for a pattern that matches no node,
  /// with the nearest name, and for operators that are not in the model.
  NodePatterns(NodeSelection selection, const Model& given);

  /// Why the options leave the node as it is; empty if they do not. A fused node is left if any of
  /// its original nodes is.
  std::string refusal(const Node& node) const;
  /// Whether the selection names the node.
  bool is_wanted(const Node& node) const;

 private:
  std::vector<std::string> excluded_;
  std::vector<std::string> only_;
  std::vector<std::string> excluded_types_;
};

}  // namespace ortool
