// Cases of a rewrite rule as text: a graph before, and the graph after or why it stays.
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
  std::optional<std::string> after;  ///< nothing: the graph stays
  /// A part of the reason; empty: the pattern does not fit at all.
  std::string reason;
  Tolerance tolerance = {.rtol = 1e-5, .atol = 1e-6};
};

/// Reads the cases of a file's text; the format stands in docs/contributing/testing.md. Throws
/// ErrorCode::invalid naming the line.
std::vector<RuleCase> parse_rule_cases(std::string_view text);

}  // namespace ortool::test
