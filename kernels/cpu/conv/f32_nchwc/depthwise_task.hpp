// Depthwise NCHWc convolution of some rows and channel blocks: the part of a task.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/window_rows.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"

namespace ortool::cpu {

/// Rows of one block of channels of the image, adjacent in memory.
struct NchwcImageRows {
  InputImage x;
  std::int64_t first;  ///< the row at x
  std::int64_t count;
};

class NchwcDepthwiseTask {
 public:
  /// `bfloat16` may be null where no image is in bfloat16.
  NchwcDepthwiseTask(const ConvSizes& sizes, const NchwcConvOperands& operands,
                     const NchwcFunctions& functions, const Bf16DepthwiseFunctions* bfloat16);

  /// Whether the specialized 3 × 3 kernel applies.
  bool is_three() const;
  /// In a narrow image many windows cross the border; a zero-padded copy avoids partial windows.
  bool is_framed() const;
  std::int64_t frame_bytes() const;
  SpatialPartition cut() const;

  /// Computes from a padded copy in `frame` or, if that is null, directly from the image.
  void run(const PartitionTile& piece, float* frame) const;
  /// Computes output rows of one block of channels from `rows`, which hold all that they read. Each
  /// input channel has one output channel.
  void run_block(std::int64_t image, std::int64_t block, std::int64_t row_begin,
                 std::int64_t row_end, const NchwcImageRows& rows, float* frame) const;

 private:
  WindowSteps band() const;
  std::int64_t step_rows() const;
  NchwcImageRows image_rows(std::int64_t plane) const;
  void run_rows(std::int64_t plane, std::int64_t begin, std::int64_t end,
                const NchwcImageRows& rows, float* frame) const;
  void activate(std::int64_t plane, std::int64_t begin, std::int64_t end) const;
  void run_three(std::int64_t plane, std::int64_t begin, std::int64_t end,
                 const NchwcImageRows& rows) const;
  template <typename In, typename Out>
  NchwcDepthwise3x3 three_of(std::int64_t plane, const NchwcImageRows& rows, const In* x,
                             Out* y) const;
  void run_framed(std::int64_t plane, std::int64_t begin, std::int64_t end,
                  const NchwcImageRows& rows, float* frame) const;
  void run_row(std::int64_t plane, std::int64_t row, const NchwcImageRows& rows) const;
  void set_epilogue(NchwcDepthwise& part, std::int64_t plane) const;
  void copy_rows(std::int64_t plane, std::int64_t begin, std::int64_t end,
                 const NchwcImageRows& rows, float* to) const;

  const ConvSizes& sizes_;
  const NchwcConvOperands& operands_;
  const NchwcFunctions& functions_;
  const Bf16DepthwiseFunctions* bfloat16_;
  std::int64_t lanes_;
  std::int64_t blocks_;
  std::int64_t multiplier_;  ///< outputs per input channel
  NchwcWindows windows_;
};

}  // namespace ortool::cpu
