// Depthwise NCHWc convolution of a task: 3 × 3 windows have a kernel of their own; otherwise narrow
// images are copied into a zero-padded buffer, and wide ones are processed row by row. With several
// outputs per input channel, bands of rows are copied with their channels repeated.
#include "kernels/cpu/conv/f32_nchwc/depthwise_task.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t max_frame_bytes = 128 * 1024;
constexpr std::int64_t max_band_bytes = 32 * 1024;

WindowSteps window_steps(const ConvSizes& sizes, int axis) {
  return {sizes.in[axis],     sizes.out[axis],      sizes.kernel[axis],
          sizes.stride[axis], sizes.dilation[axis], sizes.pad[axis]};
}

/// Input pixels covered by the windows along one axis.
std::int64_t span_of(const WindowSteps& steps) {
  return (steps.out - 1) * steps.stride + (steps.kernel - 1) * steps.dilation + 1;
}

}  // namespace

NchwcDepthwiseTask::NchwcDepthwiseTask(const ConvSizes& sizes, const NchwcConvOperands& operands,
                                       const NchwcFunctions& functions,
                                       const Bf16DepthwiseFunctions* bfloat16)
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

bool NchwcDepthwiseTask::is_three() const {
  if (multiplier_ > 1) return false;
  const WindowSteps& rows = windows_.rows;
  const WindowSteps& columns = windows_.columns;
  return rows.kernel == 3 && columns.kernel == 3 && rows.dilation == 1 && columns.dilation == 1 &&
         columns.stride <= 2 && columns.pad <= 1 &&
         span_of(columns) - columns.pad <= columns.in + 1;
}

bool NchwcDepthwiseTask::is_framed() const {
  if (multiplier_ > 1) return true;
  constexpr std::int64_t narrow = 32;
  const WindowSteps& columns = windows_.columns;
  const bool has_cut = columns.pad > 0 || span_of(columns) > columns.in;
  return !is_three() && has_cut && columns.out <= narrow && frame_bytes() <= max_frame_bytes;
}

std::int64_t NchwcDepthwiseTask::frame_bytes() const {
  return (span_of(band()) * span_of(windows_.columns) * lanes_ * 4 + 63) / 64 * 64;
}

/// The rows of a frame: as many as stay in the L1 cache.
WindowSteps NchwcDepthwiseTask::band() const {
  WindowSteps rows = windows_.rows;
  const std::int64_t row_bytes = span_of(windows_.columns) * lanes_ * 4;
  const std::int64_t reach = (rows.kernel - 1) * rows.dilation + 1;
  const std::int64_t room = max_band_bytes / row_bytes - reach;
  rows.out = std::clamp<std::int64_t>(room / rows.stride + 1, 1, rows.out);
  return rows;
}

SpatialPartition NchwcDepthwiseTask::cut() const {
  const auto taps = static_cast<double>(sizes_.kernel[1] * sizes_.kernel[2]);
  const double pixels = static_cast<double>(windows_.row_count() * sizes_.out[2]);
  return {sizes_.batch, sizes_.out[1], blocks_,
          cuts_channels_by_rows(sizes_.channels_out, volume(sizes_.out)),
          pixels * (1.5 + taps / 2)};
}

void NchwcDepthwiseTask::run(const PartitionTile& piece, float* frame) const {
  for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block)
    run_block(piece.image, block, piece.row_begin, piece.row_end,
              image_rows(piece.image * blocks_ + block), frame);
}

void NchwcDepthwiseTask::run_block(std::int64_t image, std::int64_t block, std::int64_t row_begin,
                                   std::int64_t row_end, const NchwcImageRows& rows,
                                   float* frame) const {
  const std::int64_t plane = image * blocks_ + block;
  const std::int64_t step = step_rows();
  for (std::int64_t row = row_begin; row < row_end; row += step) {
    const std::int64_t end = std::min(row + step, row_end);
    run_rows(plane, row, end, rows, frame);
    activate(plane, row, end);
  }
}

/// All rows of the block of the image that the output block `plane` reads.
NchwcImageRows NchwcDepthwiseTask::image_rows(std::int64_t plane) const {
  const std::int64_t blocks_in = (sizes_.channels_in + lanes_ - 1) / lanes_;
  const std::int64_t plane_in = plane / blocks_ * blocks_in + plane % blocks_ / multiplier_;
  const std::int64_t offset = plane_in * windows_.rows.in * windows_.columns.in * lanes_;
  const InputImage& x = operands_.x;
  return {x.bfloat16 != nullptr ? InputImage{.bfloat16 = x.bfloat16 + offset}
                                : InputImage{.floats = x.floats + offset},
          0, windows_.rows.in};
}

/// Rows that are computed before a function is applied to them: as many as stay in the L1 cache.
std::int64_t NchwcDepthwiseTask::step_rows() const {
  if (is_framed()) return band().out;
  const std::int64_t row_bytes = windows_.columns.out * lanes_ * 4;
  return std::max<std::int64_t>(1, max_band_bytes / row_bytes);
}

void NchwcDepthwiseTask::run_rows(std::int64_t plane, std::int64_t begin, std::int64_t end,
                                  const NchwcImageRows& rows, float* frame) const {
  if (is_three()) return run_three(plane, begin, end, rows);
  if (frame != nullptr) return run_framed(plane, begin, end, rows, frame);
  for (std::int64_t row = begin; row < end; ++row) run_row(plane, row, rows);
}

void NchwcDepthwiseTask::activate(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
  const Epilogue& epilogue = operands_.epilogue;
  if (!is_function(epilogue.activation)) return;
  const std::int64_t row_floats = sizes_.out[2] * lanes_;
  functions_.activate(epilogue.activation, epilogue.low,
                      operands_.y.floats + (plane * sizes_.out[1] + begin) * row_floats, 0, 1,
                      (end - begin) * row_floats);
}

void NchwcDepthwiseTask::run_three(std::int64_t plane, std::int64_t row_begin, std::int64_t row_end,
                                   const NchwcImageRows& rows) const {
  const InputImage& x = rows.x;
  const OutputImage& y = operands_.y;
  if (x.bfloat16 != nullptr && y.bfloat16 != nullptr) {
    bfloat16_->in_bfloat16(three_of(plane, rows, x.bfloat16, y.bfloat16), row_begin, row_end);
  } else if (x.bfloat16 != nullptr) {
    bfloat16_->widening(three_of(plane, rows, x.bfloat16, y.floats), row_begin, row_end);
  } else if (y.bfloat16 != nullptr) {
    bfloat16_->narrowing(three_of(plane, rows, x.floats, y.bfloat16), row_begin, row_end);
  } else {
    functions_.depthwise_three(three_of(plane, rows, x.floats, y.floats), row_begin, row_end);
  }
}

template <typename In, typename Out>
NchwcDepthwise3x3 NchwcDepthwiseTask::three_of(std::int64_t plane, const NchwcImageRows& held,
                                               const In* x, Out* y) const {
  const WindowSteps& rows = windows_.rows;
  const WindowSteps& columns = windows_.columns;
  const std::int64_t out = plane * rows.out * columns.out * lanes_;
  const std::int64_t block = plane % blocks_;
  NchwcDepthwise3x3 three = {};
  three.x = x;
  three.in_rows = held.count;
  three.in_columns = columns.in;
  three.out_columns = columns.out;
  three.row_stride = rows.stride;
  three.column_stride = columns.stride;
  three.row_pad = rows.pad + held.first;
  three.column_pad = columns.pad;
  three.weights = operands_.weights + block * rows.kernel * columns.kernel * lanes_;
  three.y = y + out;
  set_epilogue_tile(three.epilogue, operands_.epilogue, block * lanes_, out);
  return three;
}

void NchwcDepthwiseTask::run_framed(std::int64_t plane, std::int64_t row_begin,
                                    std::int64_t row_end, const NchwcImageRows& held,
                                    float* frame) const {
  const WindowSteps& rows = windows_.rows;
  const WindowSteps& columns = windows_.columns;
  const std::int64_t span = span_of(columns);
  copy_rows(plane, row_begin, row_end, held, frame);
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

void NchwcDepthwiseTask::run_row(std::int64_t plane, std::int64_t row,
                                 const NchwcImageRows& held) const {
  NchwcWindows windows = windows_;
  windows.rows.in = held.count;
  windows.rows.pad += held.first;
  const std::int64_t block = plane % blocks_;
  const std::int64_t out_pixels = windows.rows.out * windows.columns.out;
  const std::int64_t taps = windows.rows.kernel * windows.columns.kernel;
  for_window_row(
      windows, held.x.floats, operands_.y.floats + plane * out_pixels * lanes_,
      operands_.weights + block * taps * lanes_, 1, row,
      [&](NchwcDepthwise& part, std::int64_t, std::int64_t, std::int64_t, std::int64_t pixels) {
        set_epilogue(part, plane);
        functions_.depthwise(part, pixels);
      });
}

void NchwcDepthwiseTask::set_epilogue(NchwcDepthwise& part, std::int64_t plane) const {
  set_epilogue_tile(part.epilogue, operands_.epilogue, plane % blocks_ * lanes_,
                    part.y - operands_.y.floats);
}

/// Copies the rows covered by the windows of output rows [begin, end), zero-padded.
void NchwcDepthwiseTask::copy_rows(std::int64_t plane, std::int64_t begin, std::int64_t end,
                                   const NchwcImageRows& held, float* to) const {
  const WindowSteps& rows = windows_.rows;
  const WindowSteps& columns = windows_.columns;
  const std::int64_t block = plane % blocks_;
  const auto first_lane = static_cast<std::int32_t>(block % multiplier_ * lanes_ / multiplier_);
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
    const float* row = held.x.floats + (in_row - held.first) * columns.in * lanes_;
    if (multiplier_ == 1) {
      std::memcpy(to + left * lanes_, row, bytes(inside));
    } else {
      functions_.repeat_channels(row, inside, first_lane, static_cast<std::int32_t>(multiplier_),
                                 to + left * lanes_);
    }
    std::memset(to + (left + inside) * lanes_, 0, bytes(span - left - inside));
  }
}

}  // namespace ortool::cpu
