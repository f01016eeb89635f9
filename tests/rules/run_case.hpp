// One case of a rewrite rule, checked in every way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/rules/case_file.hpp"

namespace ortool::test {

/// What is wrong: the graph after the rule and the one expected, invariants, names and types of
/// inputs and outputs, origins of new nodes, a second run that changes something, numbers that
/// differ when both graphs run. Rules of the basic level must give the same bits.
std::vector<std::string> run_rule_case(const RuleCase& each);

/// A rule or pass alone, made once for many graphs; throws where there is none of the name.
class RewriteTrial {
 public:
  explicit RewriteTrial(std::string_view rule);
  ~RewriteTrial();

  /// Rewrites the graph and computes both forms, which must have the same bits. Returns what is
  /// wrong.
  std::vector<std::string> check(const std::string& graph, std::int64_t opset);

  /// The graphs that were changed so far.
  std::int64_t acted() const { return acted_; }

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
  std::int64_t acted_ = 0;
};

}  // namespace ortool::test
