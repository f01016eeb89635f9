// The axes of an Einsum's operands by the labels that its formula gives them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/ops/math/einsum.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// An axis that is longer than 1: which label it goes by and how it is walked.
struct EinsumAxis {
  int label = 0;
  std::int64_t size = 1;
  std::int64_t stride = 0;  ///< in elements
};
using EinsumAxes = std::vector<EinsumAxis>;

/// Axes of size 1 are left out, as they are repeated for nothing. A label that stands twice in a
/// term is one axis: the diagonal.
struct EinsumLayout {
  std::vector<EinsumAxes> inputs;
  std::vector<int> output;  ///< labels in order
};

/// The shapes must have passed the operator's shape rule.
EinsumLayout lay_out_einsum(const Einsum& op, std::span<const Operand> inputs);

const EinsumAxis* find_axis(const EinsumAxes& axes, int label);
std::int64_t count_elements(const EinsumAxes& axes);
/// Whether the axes lie in this order without gaps.
bool is_contiguous(const EinsumAxes& axes);

}  // namespace ortool::cpu
