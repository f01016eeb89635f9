// Checks one case of a rewrite rule in every way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/rules/case_file.hpp"

namespace ortool::test {

/// Returns findings: the graph is not the expected one or breaks invariants, names or types of
/// inputs and outputs change, new nodes lack origins, a second run changes something, or both
/// graphs compute different values. Rules of the basic level must give the same bits.
std::vector<std::string> run_rule_case(const RuleCase& each);

/// Runs one rule or pass on many graphs; throws if none has the name.
class RewriteTrial {
 public:
  explicit RewriteTrial(std::string_view rule);
  ~RewriteTrial();

  /// Rewrites the graph and computes both versions, which must have the same bits. Returns the
  /// findings.
  std::vector<std::string> check(const std::string& graph, std::int64_t opset);

  /// The number of graphs changed so far.
  std::int64_t acted() const { return acted_; }

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
  std::int64_t acted_ = 0;
};

}  // namespace ortool::test
