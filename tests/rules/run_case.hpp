// One case of a rewrite rule, checked in every way.
#pragma once

#include <string>
#include <vector>

#include "tests/rules/case_file.hpp"

namespace ortool::test {

/// What is wrong: the graph after the rule and the one expected, invariants, names and types of
/// inputs and outputs, origins of new nodes, a second run that changes something, numbers that
/// differ when both graphs run. Rules of the basic level must give the same bits.
std::vector<std::string> run_rule_case(const RuleCase& each);

}  // namespace ortool::test
