// Convolution algorithms for int8 NCHW16c (dense, depthwise, AMX tiles, Winograd), one file each;
// conv/int8_nchwc/conv.hpp chooses between them.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/rounding_ties.hpp"
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "kernels/cpu/conv/int8_nchwc/depthwise_window.hpp"
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/conv/int8_nchwc/saturation.hpp"
#include "kernels/cpu/conv/int8_nchwc/tiled_microkernel.hpp"

namespace ortool::cpu {

constexpr std::int64_t byte_block = nchwc_int8_channels;

inline std::int64_t byte_blocks(std::int64_t channels) {
  return (channels + byte_block - 1) / byte_block;
}

/// What a convolution of blocked bytes computes with.
struct NchwcInt8Conv {
  const ConvSizes& sizes;
  const std::uint8_t* x;
  const Int8ConvDesc& form;
  const std::uint8_t* packed;
  const Int8ConvParams& numbers;
  std::uint8_t* y;
  const NchwcInt8Functions& functions;
  const RoundingTieResolver& tie_resolver;

  /// The image's pads before the flip.
  std::uint8_t fill() const {
    return static_cast<std::uint8_t>(numbers.image_zero ^ form.image_flip);
  }
  NchwcInt8Epilogue finish(std::int64_t block) const {
    return {numbers.offsets + block * byte_block, numbers.scales + block * byte_block,
            numbers.range};
  }
};

/// Settles what `ties` tells of pixels from `first` on of one block of channels, a word for each
/// four pixels.
void resolve_ties(const NchwcInt8Conv& conv, std::int64_t image, std::int64_t block,
                  std::int64_t first, std::int64_t pixels, const std::uint64_t* ties);

/// Blocks of 16 channels, or of four taps of four channels, that one result is a sum of.
std::int64_t dense_steps(const ConvSizes& sizes, bool from_nchw);
std::int64_t dense_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                   const NchwcInt8Functions& functions, int threads);
void convolve_dense(const NchwcInt8Conv& conv, bool from_nchw, void* workspace, Workers& workers);

/// Where a byte of a dense result's sum comes from: channel and kernel position.
struct TapSource {
  std::int64_t channel;
  std::int64_t position;  ///< beyond the kernel: none
};
/// Of byte `byte` (0 to 15) of block `step` of those that dense_steps counts.
TapSource dense_tap_source(const ConvSizes& sizes, bool from_nchw, std::int64_t step,
                           std::int64_t byte);

/// A number near a half that is settled later.
struct PendingTie {
  std::int64_t image;
  std::int32_t channel;
  std::int32_t pixel;
};
/// Settles them, in no order.
void resolve_pending_ties(const NchwcInt8Conv& conv, const NchwcTiledFunctions& functions,
                          bool from_nchw, const PendingTie* ties, std::int64_t count);

/// The same in tiles (AMX), with weights packed for them.
std::int64_t packed_tiled_weight_bytes(const ConvSizes& sizes, bool from_nchw);
void pack_tiled_weights(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                        std::uint8_t flip, std::uint8_t* out);
std::int64_t dense_tiled_workspace_bytes(const ConvSizes& sizes, bool from_nchw, int threads);
void convolve_dense_tiled(const NchwcInt8Conv& conv, const NchwcTiledFunctions& functions,
                          bool from_nchw, void* workspace, Workers& workers);

/// The function for words of taps side by side; null: words are of any four taps.
JoinedWindowFunction joined_depthwise(const ConvSizes& sizes, Isa isa);
/// Words of four taps each.
std::int64_t depthwise_quads(const ConvSizes& sizes, bool is_joined);
/// Bytes of the weights of a word of one block.
std::int64_t depthwise_quad_bytes(bool is_joined);
/// The tap at byte `byte` of word `word`; beyond the kernel: none.
std::int64_t depthwise_tap(const ConvSizes& sizes, bool is_joined, std::int64_t word,
                           std::int64_t byte);
std::int64_t depthwise_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void convolve_depthwise(const NchwcInt8Conv& conv, Isa isa, void* workspace, Workers& workers);

/// 3 × 3 windows, where there are functions: whether that is faster, and sums are sure to fit.
bool can_use_winograd_int8(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip);
std::int64_t packed_winograd_int8_bytes(const ConvSizes& sizes);
void pack_winograd_int8(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip,
                        std::uint8_t* out);
std::int64_t winograd_int8_workspace_bytes(const ConvSizes& sizes, int threads);
void convolve_winograd(const NchwcInt8Conv& conv, void* workspace, Workers& workers);

/// Depthwise, where words are split.
std::int64_t depthwise_by_rows_workspace_bytes(const ConvSizes& sizes, int threads);
void convolve_depthwise_by_rows(const NchwcInt8Conv& conv, void* workspace, Workers& workers);

}  // namespace ortool::cpu
