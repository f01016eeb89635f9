// User rules: rewrite rules written as text, with a graph before and a graph after.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// A rule from text. Its graphs have one output and the same inputs, whose types restrict where the
/// rule acts: element type and rank must match, numbers must equal the size, and equal symbols must
/// stand for equal sizes.
struct UserRule {
  std::string name;
  std::string summary;
  OptimizeLevel level = OptimizeLevel::extended;
  std::unique_ptr<Model> before;
  std::unique_ptr<Model> after;
};

/// Parses rules; docs/contributing/add-a-rewrite-rule.md describes the format. Throws
/// ErrorCode::invalid naming the line, or the rule and what is wrong with its graphs.
std::vector<std::shared_ptr<const UserRule>> parse_user_rules(std::string_view text);

/// The rule for the rewriter, which keeps `rule` alive; the name lives as long. Constants of the
/// graph before match equal ones, floats within their type's tolerance; omitted attributes must
/// have their defaults. It acts only if the model's opset has the operators in the versions that
/// the rule was written for.
Rule make_rule(std::shared_ptr<const UserRule> rule);

}  // namespace ortool
