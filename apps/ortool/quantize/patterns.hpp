// --exclude, --only and --exclude-op: which nodes the user wants left as they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Patterns over the names of the model as it was given, whatever became of its nodes since.
class NodePatterns {
 public:
  /// `given` is the model before anything was done to it. Throws ErrorCode::invalid for a pattern
  /// that no node fits, with the nearest name, and for operators that the model has not.
  NodePatterns(const OptionValues& options, const Model& given);

  /// Why the options leave the node as it is; empty where they do not. A node that stands for
  /// several of the file's is left when one of them is.
  std::string refusal(const Node& node) const;
  /// Whether --only names the node.
  bool is_wanted(const Node& node) const;

 private:
  std::vector<std::string> excluded_;
  std::vector<std::string> only_;
  std::vector<std::string> excluded_types_;
};

}  // namespace ortool
