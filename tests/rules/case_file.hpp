// Cases of a rewrite rule as text: the graph before, and the graph after or why it is unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool::test {

struct RuleCase {
  std::string name;
  int line = 0;
  std::string rule;
  OpsetImports opsets;
  std::string before;                ///< graphs in the textual syntax
  std::optional<std::string> after;  ///< empty: the graph is unchanged
  /// Part of the expected reason; empty: the pattern does not match at all.
  std::string reason;
  Tolerance tolerance = {.rtol = 1e-5, .atol = 1e-6};
};

/// Parses the text of a case file; docs/contributing/testing.md describes the format. Throws
/// ErrorCode::invalid with the line.
std::vector<RuleCase> parse_rule_cases(std::string_view text);

}  // namespace ortool::test
