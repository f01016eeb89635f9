// Einsum planning: a two-operand Einsum as one MatMul with Transposes and Reshapes around it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ortool {

/// Axes by letter. The axes of a group are adjacent and merged into one; an empty group is an axis
/// of one element.
using AxisGroups = std::vector<std::string>;

/// The letters of all groups, concatenated.
std::string joined(const AxisGroups& groups);
/// Whether each group is one letter, so that no Reshape is needed.
bool are_single(const AxisGroups& groups);

/// The operand layouts of the MatMul, and the layout of its result.
struct EinsumPlan {
  bool is_swapped = false;  ///< the second operand is on the left
  AxisGroups left;
  AxisGroups right;
  AxisGroups result;
};

/// The formula "a,b->out", each a list of distinct letters.
struct EinsumLetters {
  std::string a;
  std::string b;
  std::string out;
};

/// The plan with the fewest Transposes, then Reshapes; those of constants are free. Nothing when no
/// axis is summed, or when one that only one operand has is.
std::optional<EinsumPlan> plan_einsum(const EinsumLetters& letters, bool is_a_constant,
                                      bool is_b_constant);

}  // namespace ortool
