// Convolution algorithms for int8 NCHW (depthwise, im2col), one file each; conv/int8_nchw/conv.hpp
// is the entry point.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/conv.hpp"
#include "kernels/cpu/gemm/int8/microkernel.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"

namespace ortool::cpu {

/// Whether there is one input channel per group and only a few output planes are made of each.
bool is_int8_depthwise(const ConvSizes& sizes);

/// What the int8 quads along k of the im2col matrix hold: channels at one kernel position or, with
/// a single channel, adjacent kernel positions of a row.
struct Int8Depth {
  std::int64_t positions;
  std::int64_t members;
  bool has_taps;  ///< quad elements are kernel positions
};
Int8Depth byte_depth(const ConvSizes& sizes);

/// Quads along k of the im2col matrix; each kernel position (or kernel row) starts a new quad.
std::int64_t int8_conv_steps(const ConvSizes& sizes, const Int8GemmFunctions& tile);

/// Packs the windows of output pixels [first, first + columns) of one group in quads of
/// `form.group` elements, `width` quads per step. Padding holds `fill`, a value before the sign
/// flip.
void pack_int8_windows(const ConvSizes& sizes, const std::uint8_t* group_image, std::uint8_t fill,
                       const Int8PackDesc& desc, std::int64_t first, std::int64_t columns,
                       std::int64_t width, std::int32_t* out);

// See int8_conv and int8_conv_workspace_bytes.
std::int64_t int8_im2col_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void int8_conv_im2col(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
                      const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa,
                      void* workspace, Workers& workers);
std::int64_t int8_depthwise_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void int8_conv_depthwise(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
                         const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa,
                         void* workspace, Workers& workers);

}  // namespace ortool::cpu
