// Int8 MatMul kernel with int32, float or int8 result.
#pragma once

#include "kernels/cpu/gemm/int8/matmul.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"
#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// Input indices of the operands.
struct Int8MatMulInputs {
  /// An invalid index: the operator has no such operand, or the node omits it.
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

/// For MatMulInteger or QLinearMatMul with its epilogue.
KernelPtr make_int8_matmul(const NodeView& view, const KernelRow& row,
                           const Int8MatMulInputs& inputs, const CompileContext& context);

}  // namespace ortool::cpu
