// One case of a rewrite rule, checked in every way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/rules/case_file.hpp"

namespace ortool::test {

/// What is wrong: the graph after the rule and the one expected, invariants, names and types of
/// inputs and outputs, origins of new nodes, a second run that changes something, numbers that
/// differ when both graphs run. Rules of the basic level must give the same bits.
std::vector<std::string> run_rule_case(const RuleCase& each);

/// Applies the rule or pass alone to a graph and computes both forms, which must have the same
/// bits. Returns what is wrong, and adds to `acted` where it changed something.
std::vector<std::string> check_rewrite(std::string_view rule, const std::string& graph,
                                       std::int64_t opset, std::int64_t& acted);

}  // namespace ortool::test
