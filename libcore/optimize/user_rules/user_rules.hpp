// Rewrite rules that users write as text: a graph before, and the graph after.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// A rule from text. Its graphs have one output and the same inputs, whose types say where the rule
/// acts: an element type and a rank must be those, a number that size, and equal symbols stand for
/// equal sizes.
struct UserRule {
  std::string name;
  std::string summary;
  OptimizeLevel level = OptimizeLevel::extended;
  std::unique_ptr<Model> before;
  std::unique_ptr<Model> after;
};

/// Reads rules; docs/contributing/add-a-rewrite-rule.md describes the format. Throws
/// ErrorCode::invalid naming the line, or the rule and what about its graphs cannot be.
std::vector<std::shared_ptr<const UserRule>> parse_user_rules(std::string_view text);

/// The rule for the rewriter, which keeps `rule`. The name lives as long as the rule does.
/// Constants of the graph before fit equal ones, numbers within their type's tolerance; attributes
/// that it leaves out must have their defaults. It acts only where the model's opset has the
/// operators in the versions that the rule was written for.
Rule make_rule(std::shared_ptr<const UserRule> rule);

}  // namespace ortool
