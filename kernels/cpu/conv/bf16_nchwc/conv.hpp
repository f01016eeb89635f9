// Convolution of images in NCHW16c, float32 or bfloat16, with bfloat16 operands and float32 sums.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/conv/bf16_nchwc/microkernel.hpp"
#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/float_image.hpp"

namespace ortool::cpu {

/// Whether the sizes fit: one or two spatial dimensions and a single group; from NCHW input with at
/// most four channels, whose windows have adjacent columns.
bool can_use_bf16_conv(const ConvSizes& sizes, bool from_nchw);

/// Size of the packed weights in bytes, independent of spatial sizes and batch.
std::int64_t packed_bf16_conv_bytes(const ConvSizes& sizes, bool from_nchw);

/// Rounds `weights` (channels_out × channels_in × kernel) to bfloat16, ties to even, into `out`
/// (64-byte aligned).
void pack_bf16_conv_weights(const ConvSizes& sizes, bool from_nchw, const float* weights, Isa isa,
                            std::uint16_t* out, Workers& workers);

/// The input of a strip of output rows is copied as bfloat16, so that every step of the sum is at a
/// fixed offset from a position. From NCHW16c, a position holds 32 channels of a pixel, each tap is
/// a step of its own, and with strides pixels that windows read at the same place lie in a plane of
/// their own. From NCHW, a position holds a whole window. AVX512-BF16 reads images in bfloat16 in
/// place where each window is a pixel of its own.
class Bf16ConvPlan {
 public:
  /// `has_bfloat16`: x is in bfloat16.
  Bf16ConvPlan(const ConvSizes& sizes, bool from_nchw, bool has_bfloat16, Isa isa);

  /// 64-byte aligned.
  std::int64_t workspace_bytes() const;
  std::int64_t held_bytes() const;

  /// Convolves `x` (float32 if it is NCHW) into `y`, which is NCHW16c. Of the epilogue, a bias
  /// (Addend::per_row, zero-padded to a whole block) and an activation are supported; `residual` is
  /// laid out like y. The padding channels of y are zero if the activation maps zero to zero.
  /// Subnormal operands count as zero. Results in bfloat16 are rounded, ties to even. Sums run over
  /// the steps in order, so results depend neither on the number of threads nor on a pixel's
  /// position.
  void run(const InputImage& x, const std::uint16_t* weights, const InputImage& residual,
           const OutputImage& y, const Epilogue& epilogue, Isa isa, void* workspace,
           Workers& workers) const;

 private:
  static constexpr std::int64_t image_block = 16;  ///< channels

  /// Output rows [begin, begin + rows) of an image.
  struct Strip {
    std::int64_t image;
    std::int64_t begin;
    std::int64_t rows;
  };

  void copy(const Strip& strip, const InputImage& x, const Bf16ConvFunctions& functions,
            std::uint16_t* out, Workers& workers) const;
  void copy_row(const Strip& strip, std::int64_t index, const InputImage& x,
                const Bf16ConvFunctions& functions, std::uint16_t* out) const;
  void place_taps();
  void round_image(const Strip& strip, const float* x, const Bf16ConvFunctions& functions,
                   std::uint16_t* image, Workers& workers) const;
  void copy_windows(const Strip& strip, const std::uint16_t* image, std::uint16_t* out,
                    Workers& workers) const;
  void multiply(const Strip& strip, const Bf16ConvProduct& whole,
                const Bf16ConvFunctions& functions, Workers& workers) const;
  bool can_read_in_place(Isa isa) const;
  /// Input channels of a step.
  std::int64_t chunk_values() const { return is_in_place_ ? image_block : bf16_step; }
  std::vector<Bf16Positions> groups_of(std::int64_t rows) const;
  std::int64_t copied_rows(std::int64_t rows) const { return rows + row_shift_; }

  ConvSizes sizes_;
  bool from_nchw_;
  bool is_in_place_;
  std::int64_t chunks_;             ///< of 32 input channels, or values of a window; in place of 16
  std::int64_t position_values_;    ///< between positions
  std::int64_t phases_[2];          ///< planes by row and column of the stride
  std::int64_t row_shift_;          ///< copied rows beyond the output's
  std::int64_t width_;              ///< positions per copied row
  std::int64_t strip_rows_;         ///< output rows per strip
  std::int64_t plane_values_;       ///< of a phase and chunk, or of all windows
  std::int64_t image_rows_ = 0;     ///< of a strip, from NCHW
  std::int64_t image_columns_ = 0;  ///< with padding
  std::vector<std::int64_t> offsets_;
  std::vector<Bf16Positions> groups_;  ///< of a whole strip
  std::vector<Bf16Positions> last_;    ///< of the last one, if it is shorter
};

}  // namespace ortool::cpu
