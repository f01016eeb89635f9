// Depthwise NCHWc convolution: 3 × 3 windows have a kernel of their own; otherwise narrow images
// are copied into a zero-padded buffer, and wide ones are processed row by row. With several
// outputs per input channel, bands of rows are copied with their channels repeated.

#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/window_rows.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

WindowSteps window_steps(const ConvSizes& sizes, int axis) {
  return {sizes.in[axis],     sizes.out[axis],      sizes.kernel[axis],
          sizes.stride[axis], sizes.dilation[axis], sizes.pad[axis]};
}

/// Input pixels covered by the windows along one axis.
std::int64_t span_of(const WindowSteps& steps) {
  return (steps.out - 1) * steps.stride + (steps.kernel - 1) * steps.dilation + 1;
}

class Depthwise {
 public:
  Depthwise(const ConvSizes& sizes, const NchwcConvOperands& operands,
            const NchwcFunctions& functions, const Bf16DepthwiseFunctions* bfloat16)
      : sizes_(sizes),
        operands_(operands),
        functions_(functions),
        bfloat16_(bfloat16),
        lanes_(functions.lanes),
        blocks_((sizes.channels_out + lanes_ - 1) / lanes_),
        multiplier_(sizes.channels_out / sizes.channels_in),
        windows_{.planes = sizes.batch * blocks_,
                 .lanes = lanes_,
                 .rows = window_steps(sizes, 1),
                 .columns = window_steps(sizes, 2)} {}

  /// Whether the specialized 3 × 3 kernel applies.
  bool is_three() const {
    if (multiplier_ > 1) return false;
    const WindowSteps& rows = windows_.rows;
    const WindowSteps& columns = windows_.columns;
    return rows.kernel == 3 && columns.kernel == 3 && rows.dilation == 1 && columns.dilation == 1 &&
           columns.stride <= 2 && columns.pad <= 1 &&
           span_of(columns) - columns.pad <= columns.in + 1;
  }
  /// In a narrow image many windows cross the border; a zero-padded copy avoids partial windows.
  bool is_framed() const {
    if (multiplier_ > 1) return true;
    constexpr std::int64_t narrow = 32;
    const WindowSteps& columns = windows_.columns;
    const bool has_cut = columns.pad > 0 || span_of(columns) > columns.in;
    return !is_three() && has_cut && columns.out <= narrow && frame_bytes() <= max_frame_bytes;
  }
  std::int64_t frame_bytes() const {
    return (span_of(band()) * span_of(windows_.columns) * lanes_ * 4 + 63) / 64 * 64;
  }
  /// The rows of a frame: as many as stay in the L1 cache.
  WindowSteps band() const {
    WindowSteps rows = windows_.rows;
    const std::int64_t row_bytes = span_of(windows_.columns) * lanes_ * 4;
    const std::int64_t reach = (rows.kernel - 1) * rows.dilation + 1;
    const std::int64_t room = max_band_bytes / row_bytes - reach;
    rows.out = std::clamp<std::int64_t>(room / rows.stride + 1, 1, rows.out);
    return rows;
  }
  SpatialPartition cut() const {
    const auto taps = static_cast<double>(sizes_.kernel[1] * sizes_.kernel[2]);
    const double pixels = static_cast<double>(windows_.row_count() * sizes_.out[2]);
    return {sizes_.batch, sizes_.out[1], blocks_,
            cuts_channels_by_rows(sizes_.channels_out, volume(sizes_.out)),
            pixels * (1.5 + taps / 2)};
  }

  /// Computes from a padded copy in `frame` or, if that is null, directly from the image.
  void run(const PartitionTile& piece, float* frame) const {
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block) {
      const std::int64_t plane = piece.image * blocks_ + block;
      const std::int64_t step = step_rows();
      for (std::int64_t row = piece.row_begin; row < piece.row_end; row += step) {
        const std::int64_t end = std::min(row + step, piece.row_end);
        run_rows(plane, row, end, frame);
        activate(plane, row, end);
      }
    }
  }

 private:
  /// Rows that are computed before a function is applied to them: as many as stay in the L1 cache.
  std::int64_t step_rows() const {
    if (is_framed()) return band().out;
    const std::int64_t row_bytes = windows_.columns.out * lanes_ * 4;
    return std::max<std::int64_t>(1, max_band_bytes / row_bytes);
  }

  void run_rows(std::int64_t plane, std::int64_t begin, std::int64_t end, float* frame) const {
    if (is_three()) return run_three(plane, begin, end);
    if (frame != nullptr) return run_framed(plane, begin, end, frame);
    for (std::int64_t row = begin; row < end; ++row) run_row(plane * sizes_.out[1] + row);
  }

  void activate(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    const Epilogue& epilogue = operands_.epilogue;
    if (!is_function(epilogue.activation)) return;
    const std::int64_t row_floats = sizes_.out[2] * lanes_;
    functions_.activate(epilogue.activation, epilogue.low,
                        operands_.y.floats + (plane * sizes_.out[1] + begin) * row_floats, 0, 1,
                        (end - begin) * row_floats);
  }

  static constexpr std::int64_t max_frame_bytes = 128 * 1024;
  static constexpr std::int64_t max_band_bytes = 32 * 1024;

  void run_three(std::int64_t plane, std::int64_t row_begin, std::int64_t row_end) const {
    const InputImage& x = operands_.x;
    const OutputImage& y = operands_.y;
    if (x.bfloat16 != nullptr && y.bfloat16 != nullptr) {
      bfloat16_->in_bfloat16(three_of(plane, x.bfloat16, y.bfloat16), row_begin, row_end);
    } else if (x.bfloat16 != nullptr) {
      bfloat16_->widening(three_of(plane, x.bfloat16, y.floats), row_begin, row_end);
    } else if (y.bfloat16 != nullptr) {
      bfloat16_->narrowing(three_of(plane, x.floats, y.bfloat16), row_begin, row_end);
    } else {
      functions_.depthwise_three(three_of(plane, x.floats, y.floats), row_begin, row_end);
    }
  }

  template <typename In, typename Out>
  NchwcDepthwise3x3 three_of(std::int64_t plane, const In* x, Out* y) const {
    const WindowSteps& rows = windows_.rows;
    const WindowSteps& columns = windows_.columns;
    const std::int64_t out = plane * rows.out * columns.out * lanes_;
    const std::int64_t block = plane % blocks_;
    NchwcDepthwise3x3 three = {};
    three.x = x + plane * rows.in * columns.in * lanes_;
    three.in_rows = rows.in;
    three.in_columns = columns.in;
    three.out_columns = columns.out;
    three.row_stride = rows.stride;
    three.column_stride = columns.stride;
    three.row_pad = rows.pad;
    three.column_pad = columns.pad;
    three.weights = operands_.weights + block * rows.kernel * columns.kernel * lanes_;
    three.y = y + out;
    set_epilogue_tile(three.epilogue, operands_.epilogue, block * lanes_, out);
    return three;
  }

  void run_framed(std::int64_t plane, std::int64_t row_begin, std::int64_t row_end,
                  float* frame) const {
    const WindowSteps& rows = windows_.rows;
    const WindowSteps& columns = windows_.columns;
    const std::int64_t span = span_of(columns);
    copy_rows(plane, row_begin, row_end, frame);
    NchwcDepthwise part = {};
    part.x = frame;
    part.pixel_step = columns.stride * lanes_;
    part.row_step = rows.dilation * span * lanes_;
    part.column_step = columns.dilation * lanes_;
    part.rows = rows.kernel;
    part.columns = columns.kernel;
    part.weights = operands_.weights + plane % blocks_ * rows.kernel * columns.kernel * lanes_;
    part.weight_row_step = columns.kernel * lanes_;
    part.y = operands_.y.floats + (plane * rows.out + row_begin) * columns.out * lanes_;
    set_epilogue(part, plane);
    functions_.depthwise_rows(part, columns.out, row_end - row_begin, rows.stride * span * lanes_);
  }

  void run_row(std::int64_t row) const {
    for_window_row(windows_, operands_.x.floats, operands_.y.floats, operands_.weights, blocks_,
                   row,
                   [&](NchwcDepthwise& part, std::int64_t plane, std::int64_t, std::int64_t,
                       std::int64_t pixels) {
                     set_epilogue(part, plane);
                     functions_.depthwise(part, pixels);
                   });
  }

  void set_epilogue(NchwcDepthwise& part, std::int64_t plane) const {
    set_epilogue_tile(part.epilogue, operands_.epilogue, plane % blocks_ * lanes_,
                      part.y - operands_.y.floats);
  }

  /// Copies the rows covered by the windows of output rows [begin, end), zero-padded.
  void copy_rows(std::int64_t plane, std::int64_t begin, std::int64_t end, float* to) const {
    const WindowSteps& rows = windows_.rows;
    const WindowSteps& columns = windows_.columns;
    const std::int64_t block = plane % blocks_;
    const std::int64_t blocks_in = (sizes_.channels_in + lanes_ - 1) / lanes_;
    const std::int64_t plane_in = plane / blocks_ * blocks_in + block / multiplier_;
    const auto first_lane = static_cast<std::int32_t>(block % multiplier_ * lanes_ / multiplier_);
    const float* from = operands_.x.floats + plane_in * rows.in * columns.in * lanes_;
    const std::int64_t span = span_of(columns);
    const std::int64_t left = std::min(columns.pad, span);
    const std::int64_t inside = std::min(columns.in, span - left);
    const auto bytes = [&](std::int64_t pixels) {
      return static_cast<std::size_t>(pixels * lanes_) * 4;
    };
    const std::int64_t last = rows.start(end - 1) + (rows.kernel - 1) * rows.dilation;
    for (std::int64_t in_row = rows.start(begin); in_row <= last; ++in_row, to += span * lanes_) {
      if (in_row < 0 || in_row >= rows.in) {
        std::memset(to, 0, bytes(span));
        continue;
      }
      std::memset(to, 0, bytes(left));
      const float* row = from + in_row * columns.in * lanes_;
      if (multiplier_ == 1) {
        std::memcpy(to + left * lanes_, row, bytes(inside));
      } else {
        functions_.repeat_channels(row, inside, first_lane, static_cast<std::int32_t>(multiplier_),
                                   to + left * lanes_);
      }
      std::memset(to + (left + inside) * lanes_, 0, bytes(span - left - inside));
    }
  }

  const ConvSizes& sizes_;
  const NchwcConvOperands& operands_;
  const NchwcFunctions& functions_;
  const Bf16DepthwiseFunctions* bfloat16_;
  std::int64_t lanes_;
  std::int64_t blocks_;
  std::int64_t multiplier_;  ///< outputs per input channel
  NchwcWindows windows_;
};

}  // namespace

std::int64_t nchwc_depthwise_workspace_bytes(const ConvSizes& sizes,
                                             const NchwcFunctions& functions, int threads) {
  const NchwcConvOperands operands = {};
  const Depthwise depthwise(sizes, operands, functions, nullptr);
  if (!depthwise.is_framed()) return 0;
  return depthwise.frame_bytes() * std::min<std::int64_t>(threads, depthwise.cut().tasks());
}

void conv_nchwc_depthwise(const ConvSizes& sizes, const NchwcConvOperands& operands,
                          const NchwcFunctions& functions, const Bf16DepthwiseFunctions* bfloat16,
                          void* workspace, Workers& workers) {
  const Depthwise depthwise(sizes, operands, functions, bfloat16);
  const bool has_bfloat16 = operands.x.bfloat16 != nullptr || operands.y.bfloat16 != nullptr;
  ORTOOL_CHECK(!has_bfloat16 || depthwise.is_three());
  const SpatialPartition cut = depthwise.cut();
  if (!depthwise.is_framed()) {
    cut.run(workers, [&](const PartitionTile& piece) { depthwise.run(piece, nullptr); });
    return;
  }
  const std::int64_t slots = std::min<std::int64_t>(workers.count(), cut.tasks());
  WorkspaceSlots frames(workspace, depthwise.frame_bytes(), static_cast<int>(slots));
  cut.run(workers, [&](const PartitionTile& piece) {
    WorkspaceSlots::Lease lease(frames);
    depthwise.run(piece, reinterpret_cast<float*>(lease.data()));
  });
}

}  // namespace ortool::cpu
