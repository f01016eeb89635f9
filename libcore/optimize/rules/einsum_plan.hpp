// An Einsum of two operands as one product of matrices: which axes stand where before and after it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ortool {

/// Axes by their letters. Axes of one group lie behind one another and become one; an empty group
/// is an axis of one element.
using AxisGroups = std::vector<std::string>;

/// The letters of all groups in a row.
std::string joined(const AxisGroups& groups);
/// Whether each group is one letter, so that nothing has to be reshaped.
bool are_single(const AxisGroups& groups);

/// What MatMul multiplies, and what comes out of it.
struct EinsumPlan {
  bool is_swapped = false;  ///< the second operand stands on the left
  AxisGroups left;
  AxisGroups right;
  AxisGroups result;
};

/// The formula "a,b->out", each a list of different letters.
struct EinsumLetters {
  std::string a;
  std::string b;
  std::string out;
};

/// The way with the fewest Transposes, then Reshapes; those of constants cost nothing. Nothing
/// where no axis is summed, or one that a single operand has.
std::optional<EinsumPlan> plan_einsum(const EinsumLetters& letters, bool is_a_constant,
                                      bool is_b_constant);

}  // namespace ortool
