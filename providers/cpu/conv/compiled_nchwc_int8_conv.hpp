// Compiled int8 NCHWc convolution: what kernels for QLinearConv and QuantizedConv in NCHW16c decide
// and pack once for each node.
#pragma once

#include <optional>
#include <vector>

#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "libcore/ops/window_rules.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::cpu {

/// Input indices of the operands, for both operators.
inline constexpr std::int64_t image_input = 0;
inline constexpr std::int64_t image_scale_input = 1;
inline constexpr std::int64_t image_zero_input = 2;
inline constexpr std::int64_t weights_input = 3;
inline constexpr std::int64_t weight_scale_input = 4;
inline constexpr std::int64_t weight_zero_input = 5;
inline constexpr std::int64_t out_scale_input = 6;
inline constexpr std::int64_t out_zero_input = 7;
inline constexpr std::int64_t bias_input = 8;
inline constexpr std::int64_t float_bias_input = 9;

struct NchwcInt8ConvOp {
  WindowAttributes window;
  std::int64_t groups = 1;
  bool has_floats = false;  ///< rounding ties are decided by the float formula
};

NchwcInt8ConvOp read_int8_conv(const Node& node);

const std::uint8_t* constant_bytes(const NodeView& view, std::int64_t input);

/// What flips the image and the weights to the types that kernels multiply.
std::uint8_t image_flip(const NodeView& view);
std::uint8_t weight_flip(const NodeView& view);

/// The sizes, with typical values for dimensions that the model leaves unknown.
std::optional<ConvSizes> guessed_sizes(const NodeView& view, const NchwcInt8ConvOp& op);

/// The sizes of a run.
ConvSizes nchwc_int8_conv_sizes(const Shape& x, const Shape& weights, const NchwcInt8ConvOp& op);

/// Whether preparing the image for AMX tiles takes longer than convolving without them.
bool is_small_convolution(const NodeView& view, const NchwcInt8ConvOp& op);

/// Decided at compile time, once per node; of a run, only the image is needed. Offsets and scales
/// are padded to whole blocks. Stays at its address, since `params` points into it.
struct CompiledNchwcInt8Conv {
  NchwcInt8ConvOp op;
  bool from_nchw = false;
  Int8ConvAlgorithm algorithm = {Isa::avx512};
  int max_threads = 1;
  Int8ConvDesc desc;
  Int8ConvParams params;
  Int8ConvFloats floats;
  PackedBytes weights;
  std::vector<std::int32_t> offsets;
  std::vector<float> scales;
  Tensor weight_scales;  ///< of `floats`, as the next; empty: without floats
  Tensor float_biases;
};

/// Compiles a group for `isa`, or for the level below AMX where it is small. It stays at its
/// address.
void compile_nchwc_int8_conv(const NodeView& view, Isa isa, const CompileContext& context,
                             CompiledNchwcInt8Conv& conv);

}  // namespace ortool::cpu
