// Compiled NCHWc convolution: what kernels for Conv in NCHWc decide and pack once for each node.
#pragma once

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/precision.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::cpu {

/// Decided at compile time, once per node.
struct CompiledNchwcConv {
  ortool::Conv op;
  ProductEpilogue epilogue;
  NchwcConvAlgorithm path = NchwcConvAlgorithm::direct;
  Precision operands = Precision::float32;
  Isa isa = Isa::avx512;
  int max_threads = 1;
  PackedBytes weights;
  AlignedBuffer bias;  ///< zero-padded to whole blocks; empty: none

  std::int64_t packed_bytes() const { return weights.size_bytes() + bias.size_bytes(); }
};

/// Compiles a group of Conv and its epilogue, with the layouts of the view.
CompiledNchwcConv compile_nchwc_conv(const NodeView& view, Isa isa, Precision operands,
                                     const CompileContext& context);

/// Whether there is no residual, or one that certainly has the shape of the convolution's result:
/// what is broadcast is added behind it, in float32.
bool adds_in_place(const NodeView& view, const ProductEpilogue& epilogue);

}  // namespace ortool::cpu
