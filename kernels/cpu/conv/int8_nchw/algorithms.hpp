// Convolution algorithms for int8 NCHW (depthwise, im2col), one file each; conv/int8_nchw/conv.hpp
// chooses between them.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/conv.hpp"
#include "kernels/cpu/gemm/int8/microkernel.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"

namespace ortool::cpu {

/// One input channel a group, of which a few planes are made.
bool is_int8_depthwise(const ConvSizes& sizes);

/// What words along k of the columns hold: numbers of the channels at one kernel position, or, of a
/// single channel, those at the kernel positions of a row.
struct Int8Depth {
  std::int64_t positions;
  std::int64_t members;
  bool has_taps;  ///< members are kernel positions
};
Int8Depth byte_depth(const ConvSizes& sizes);

/// Words along k of the columns: each position begins a word.
std::int64_t int8_conv_steps(const ConvSizes& sizes, const Int8GemmFunctions& tile);

/// Packs the windows of output pixels [first, first + columns) of one group, in words of
/// `form.group` members, `width` words a step. Pads hold `fill`, a byte before the flip.
void pack_int8_windows(const ConvSizes& sizes, const std::uint8_t* group_image, std::uint8_t fill,
                       const ByteForm& form, std::int64_t first, std::int64_t columns,
                       std::int64_t width, std::int32_t* out);

// Each as int8_conv and int8_conv_workspace_bytes.
std::int64_t int8_im2col_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void int8_conv_im2col(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& form,
                      const std::byte* packed, const Int8ConvParams& numbers, void* y, Isa isa,
                      void* workspace, Workers& workers);
std::int64_t int8_depthwise_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void int8_conv_depthwise(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& form,
                         const std::byte* packed, const Int8ConvParams& numbers, void* y, Isa isa,
                         void* workspace, Workers& workers);

}  // namespace ortool::cpu
