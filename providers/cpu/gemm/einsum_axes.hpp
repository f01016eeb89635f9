// Einsum axes: the axes of the operands by the labels of the formula.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/ops/math/einsum.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// An axis longer than 1: its label, size and stride.
struct EinsumAxis {
  int label = 0;
  std::int64_t size = 1;
  std::int64_t stride = 0;  ///< in elements
};
using EinsumAxes = std::vector<EinsumAxis>;

/// Axes of size 1 are omitted, as they are broadcast. A label that occurs twice in a term becomes
/// one axis: the diagonal.
struct EinsumLayout {
  std::vector<EinsumAxes> inputs;
  std::vector<int> output;  ///< labels in order
};

/// The shapes must have passed the operator's shape rule.
EinsumLayout lay_out_einsum(const Einsum& op, std::span<const Operand> inputs);

const EinsumAxis* find_axis(const EinsumAxes& axes, int label);
std::int64_t count_elements(const EinsumAxes& axes);
/// Whether the axes are contiguous in this order.
bool is_contiguous(const EinsumAxes& axes);

}  // namespace ortool::cpu
