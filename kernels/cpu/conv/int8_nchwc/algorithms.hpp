// Convolution algorithms for int8 NCHW16c (dense, depthwise, AMX tiles, Winograd), one file each;
// conv/int8_nchwc/conv.hpp is the entry point.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/rounding_ties.hpp"
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "kernels/cpu/conv/int8_nchwc/depthwise_window.hpp"
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/conv/int8_nchwc/rounding_ties.hpp"
#include "kernels/cpu/conv/int8_nchwc/saturation.hpp"
#include "kernels/cpu/conv/int8_nchwc/tiled_microkernel.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"

namespace ortool::cpu {

constexpr std::int64_t int8_block = nchwc_int8_channels;

inline std::int64_t int8_blocks(std::int64_t channels) {
  return (channels + int8_block - 1) / int8_block;
}

/// Reads single weights back from where pack_nchwc_int8_conv packed them, for rounding ties.
class PackedNchwcWeightReader : public WeightReader {
 public:
  /// `sizes` and `packed` must outlive this object.
  PackedNchwcWeightReader(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                          const Int8ConvAlgorithm& algorithm);

  void read(const WeightRange& range, std::int8_t* out) const override;

  /// For dense convolutions of NCHW16c images, of whose packed weights each is there as it is:
  /// where those of an output channel begin.
  TieWeights place(std::int64_t channel) const;
  /// Bytes from there to the weights of the channel 16 places further, where the two are packed
  /// together; 0: it is the last block of channels.
  std::int64_t second_block(std::int64_t channel) const;
  /// Steps a tap.
  std::int64_t chunks() const { return chunks_; }
  /// Blocks of 16 input channels a step.
  std::int64_t chunk_blocks() const { return chunk_blocks_; }

 private:
  const ConvSizes& sizes_;
  bool from_nchw_;
  const std::uint8_t* packed_;
  Int8ConvAlgorithm algorithm_;
  bool is_tiled_;
  const NchwcInt8Functions& functions_;
  std::int64_t chunks_;
  std::int64_t chunk_blocks_ = 1;
};

/// Reads weights each of which is at the sum of a place of its input channel and one of its tap.
template <typename InputPlace, typename TapPlace>
void read_places(const WeightRange& range, const std::uint8_t* weights, const InputPlace& of_input,
                 const TapPlace& of_tap, std::int8_t* out) {
  for (std::int64_t input = range.first_input; input < range.first_input + range.inputs; ++input) {
    const std::uint8_t* const from = weights + of_input(input);
    for (std::int64_t tap = range.first_tap; tap < range.first_tap + range.taps; ++tap)
      *out++ = static_cast<std::int8_t>(from[of_tap(tap)]);
  }
}

/// Operands and parameters of an int8 NCHW16c convolution.
struct NchwcInt8Conv {
  const ConvSizes& sizes;
  const std::uint8_t* x;
  const Int8ConvDesc& desc;
  const std::uint8_t* packed;
  const Int8ConvParams& params;
  std::uint8_t* y;
  const NchwcInt8Functions& functions;
  const RoundingTieResolver& tie_resolver;
  const PackedNchwcWeightReader& weights;
  const TieSumFunction* sum_tie_lanes;  ///< null: ties are summed one at a time

  /// Padding value of the image, before the sign flip.
  std::uint8_t fill() const {
    return static_cast<std::uint8_t>(params.image_zero ^ desc.image_flip);
  }
  void set_epilogue(EpilogueTile& tile, std::int64_t block) const {
    set_int8_epilogue_tile(tile, params.epilogue, block * int8_block);
  }
};

/// Resolves the rounding ties marked in `ties` for the pixels from `first` on of one channel block;
/// each mask covers four pixels.
void resolve_ties(const NchwcInt8Conv& conv, std::int64_t image, std::int64_t block,
                  std::int64_t first, std::int64_t pixels, const std::uint64_t* ties);

/// Whether dense convolutions have AMX tiles.
bool is_tiled_int8(const ConvSizes& sizes, Isa isa);
/// Whether pairs of products must fit 16 bits, so that quads are split to avoid saturation.
bool splits_quads(Isa isa);

/// Number of 16-byte steps in the reduction: blocks of 16 channels, or four taps of four channels.
std::int64_t dense_steps(const ConvSizes& sizes, bool from_nchw);
std::int64_t dense_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                   const NchwcInt8Functions& functions, int threads,
                                   std::uint8_t image_flip);
void convolve_dense(const NchwcInt8Conv& conv, bool from_nchw, void* workspace, Workers& workers);

/// Origin of one int8 element of the reduction: channel and kernel position.
struct TapSource {
  std::int64_t channel;
  std::int64_t position;  ///< past the kernel: none
};
/// Of element `byte` (0 to 15) of step `step`, as counted by dense_steps.
TapSource dense_tap_source(const ConvSizes& sizes, bool from_nchw, std::int64_t step,
                           std::int64_t byte);

/// A rounding tie to be resolved later.
struct PendingTie {
  std::int64_t image;
  std::int32_t channel;
  std::int32_t pixel;
};

/// Rounding ties of a thread's tasks, resolved in a batch.
struct PendingTies {
  static constexpr std::int64_t most = 512;
  std::int64_t count = 0;
  PendingTie ties[most];

  void add(const NchwcInt8Conv& conv, bool from_nchw, const PendingTie& tie) {
    if (count == most) resolve(conv, from_nchw);
    ties[count++] = tie;
  }
  /// Moves the entries of `other` here; there must be room.
  void take(PendingTies& other) {
    std::copy_n(other.ties, other.count, ties + count);
    count += other.count;
    other.count = 0;
  }
  /// Resolves and removes all of them.
  void resolve(const NchwcInt8Conv& conv, bool from_nchw);
};

/// The rounding ties of a job, at the start of each thread's slot. Resolving those of all tasks
/// together fills more lanes.
class TieSlots {
 public:
  TieSlots(std::byte* slots, std::int64_t slot_bytes, int count);

  /// Resolves and removes all of them.
  void resolve(const NchwcInt8Conv& conv, bool from_nchw, Workers& workers);

 private:
  PendingTies& list(int slot) const {
    return *reinterpret_cast<PendingTies*>(slots_ + slot * slot_bytes_);
  }

  std::byte* slots_;
  std::int64_t slot_bytes_;
  int count_;
};

/// The same with AMX tiles and weights packed for them.
std::int64_t packed_tiled_weight_bytes(const ConvSizes& sizes, bool from_nchw);
void pack_tiled_weights(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                        std::uint8_t flip, std::uint8_t* out);
void read_tiled_weights(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                        const WeightRange& range, std::int8_t* out);
std::int64_t dense_tiled_workspace_bytes(const ConvSizes& sizes, bool from_nchw, int threads);
void convolve_dense_tiled(const NchwcInt8Conv& conv, const NchwcTiledFunctions& functions,
                          bool from_nchw, void* workspace, Workers& workers);

/// The kernel for quads of adjacent taps; null: quads hold any four taps.
JoinedWindowFunction joined_depthwise(const ConvSizes& sizes, Isa isa);
/// Number of quads (four taps each).
std::int64_t depthwise_quads(const ConvSizes& sizes, bool is_joined);
/// Size in bytes of one quad's weights for one block.
std::int64_t depthwise_quad_bytes(bool is_joined);
/// The tap at element `byte` of quad `word`; past the kernel: none.
std::int64_t depthwise_tap(const ConvSizes& sizes, bool is_joined, std::int64_t word,
                           std::int64_t byte);
void read_depthwise(const ConvSizes& sizes, bool is_joined, const std::uint8_t* packed,
                    const WeightRange& range, std::int8_t* out);
/// Whether the result may take the place of the image, for up to `threads` threads.
bool can_overwrite_depthwise(const ConvSizes& sizes, int threads);
std::int64_t depthwise_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void convolve_depthwise(const NchwcInt8Conv& conv, Isa isa, void* workspace, Workers& workers);

/// Whether Winograd is available for this 3 × 3 convolution, is faster, and cannot overflow.
bool can_use_winograd_int8(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip);
std::int64_t packed_winograd_int8_bytes(const ConvSizes& sizes);
void pack_winograd_int8(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip,
                        std::uint8_t* out);
void read_winograd_int8(const ConvSizes& sizes, const std::uint8_t* packed,
                        const WeightRange& range, std::int8_t* out);
std::int64_t winograd_int8_workspace_bytes(const ConvSizes& sizes, int threads);
void convolve_winograd(const NchwcInt8Conv& conv, void* workspace, Workers& workers);

/// Depthwise with quads split to avoid saturation.
std::int64_t depthwise_by_rows_workspace_bytes(const ConvSizes& sizes, int threads);
void convolve_depthwise_by_rows(const NchwcInt8Conv& conv, void* workspace, Workers& workers);

}  // namespace ortool::cpu
