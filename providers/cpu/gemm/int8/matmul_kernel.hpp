// The kernel of products of matrices of bytes, with sums, floats or bytes for a result.
#pragma once

#include "kernels/cpu/gemm/int8/matmul.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"
#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// Where the operands stand.
struct Int8MatMulInputs {
  /// A position that no node has: the operator has no such operand, or the node leaves it out.
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t a = 0;
  std::size_t a_scale = none;
  std::size_t a_zero = 2;
  std::size_t b = 1;
  std::size_t b_scale = none;
  std::size_t b_zero = 3;
  std::size_t y_scale = none;
  std::size_t y_zero = none;
};

/// Of MatMulInteger or QLinearMatMul with followers that match_int8_epilogue takes.
KernelPtr make_int8_matmul(const NodeView& view, const KernelRow& row,
                           const Int8MatMulInputs& inputs, const CompileContext& context);

}  // namespace ortool::cpu
