// Operators whose inputs have no order.
#include "libcore/graph/diff/node_groups.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ortool::diff {
namespace {

constexpr std::array<std::string_view, 13> commuting_operators = {
    "Add",  "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max",
    "Mean", "Min", "Mul",        "Or",        "Sum",        "Xor"};

}  // namespace

bool commutes(const Node& node) {
  return node.domain().empty() && std::find(commuting_operators.begin(), commuting_operators.end(),
                                            node.op_type()) != commuting_operators.end();
}

}  // namespace ortool::diff
