// Dense NCHWc convolution with a depthwise post-op: strips of rows of two blocks of channels are
// computed into a buffer that stays in a cache, and the depthwise convolution reads them there.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/dense_task.hpp"
#include "kernels/cpu/conv/f32_nchwc/depthwise_task.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Which rows of which channels a thread's buffer holds. At the start of each slot.
struct HeldRows {
  std::int64_t image;
  std::int64_t group;  ///< of channel blocks; negative: none
  std::int64_t begin;
  std::int64_t end;
};

/// How the work is split, and how a slot of the workspace is divided.
class PostOpPlan {
 public:
  PostOpPlan(const ConvSizes& dense, NchwcConvAlgorithm path, const ConvSizes& depthwise,
             const NchwcFunctions& functions)
      : dense_(dense), depthwise_(depthwise), dense_plan_(dense, path, functions) {
    // Part of an L2 cache. MobileNetV2 takes 2 % longer with half as much.
    constexpr std::int64_t wanted_bytes = 192 * 1024;
    const std::int64_t lanes = functions.lanes;
    blocks_ = (dense.channels_out + lanes - 1) / lanes;
    const std::int64_t row_bytes = blocks_a_group() * depthwise.in[2] * lanes * 4;
    const std::int64_t room = wanted_bytes / row_bytes - reach();
    strip_rows_ = std::clamp<std::int64_t>(room / depthwise.stride[1] + 1, 1, depthwise.out[1]);
    held_rows_ = std::min((strip_rows_ - 1) * depthwise.stride[1] + reach(), depthwise.in[1]);
    block_floats_ = held_rows_ * depthwise.in[2] * lanes;
    dense_plan_.limit_copied_rows(dense, held_rows_);
    const NchwcConvOperands none = {};
    const NchwcDepthwiseTask task(depthwise, none, functions, nullptr);
    frame_bytes_ = task.is_framed() ? task.frame_bytes() : 0;
    set_bands(functions);
  }

  const NchwcDensePlan& dense_plan() const { return dense_plan_; }
  std::int64_t strip_rows() const { return strip_rows_; }
  std::int64_t block_floats() const { return block_floats_; }
  std::int64_t groups() const { return dense_plan_.groups; }
  std::int64_t bands() const { return bands_; }
  std::int64_t tasks() const { return dense_.batch * groups() * bands_; }

  /// The rows between the convolutions that output rows [begin, end) read.
  RowRange rows_read(std::int64_t begin, std::int64_t end) const {
    const std::int64_t start = begin * depthwise_.stride[1] - depthwise_.pad[1];
    const std::int64_t stop = (end - 1) * depthwise_.stride[1] - depthwise_.pad[1] + reach();
    const std::int64_t first = std::clamp<std::int64_t>(start, 0, depthwise_.in[1]);
    return {first, std::clamp<std::int64_t>(stop, first, depthwise_.in[1])};
  }

  std::int64_t strip_at() const { return aligned_bytes(sizeof(HeldRows)); }
  std::int64_t copy_at() const { return strip_at() + aligned_bytes(strip_bytes()); }
  std::int64_t frame_at() const { return copy_at() + dense_plan_.buffer_bytes; }
  std::int64_t slot_bytes() const { return frame_at() + frame_bytes_; }
  bool is_framed() const { return frame_bytes_ > 0; }
  std::int64_t strip_bytes() const { return blocks_a_group() * block_floats_ * 4; }
  /// Whether padded rows of many channels, or for many groups, are copied again for each group.
  bool copies_often() const {
    constexpr std::int64_t few_groups = 4;
    return dense_plan_.is_copied && groups() > (dense_plan_.is_plain ? few_groups : 1);
  }
  /// Of the image between the convolutions.
  std::int64_t bytes_between() const {
    return dense_.batch * blocks_ * volume(depthwise_.in) * dense_plan_.lanes * 4;
  }

 private:
  std::int64_t blocks_a_group() const { return std::min<std::int64_t>(2, blocks_); }
  /// Rows from the first to the last of a window.
  std::int64_t reach() const { return (depthwise_.kernel[1] - 1) * depthwise_.dilation[1] + 1; }

  /// Tasks are groups of channels. Bands of rows as well where those are few, since what windows of
  /// two bands read is computed twice if different threads have them.
  void set_bands(const NchwcFunctions& functions) {
    constexpr std::int64_t least_rows = 16;  // for each row that is computed twice
    const double pixels = static_cast<double>(volume(depthwise_.out));
    const double flops = 2.0 * static_cast<double>(volume(dense_.out)) *
                         static_cast<double>(dense_plan_.depth) *
                         static_cast<double>(dense_.channels_out);
    const double blocks = static_cast<double>(dense_.channels_out) / functions.lanes;
    const double taps = static_cast<double>(volume(depthwise_.kernel));
    const std::int64_t wanted = task_count(static_cast<double>(dense_.batch) *
                                           (flops / 150 + blocks * pixels * (1.5 + taps / 2)));
    const std::int64_t twice = std::max<std::int64_t>(reach() - depthwise_.stride[1], 1);
    const std::int64_t most = depthwise_.out[1] * depthwise_.stride[1] / (least_rows * twice);
    const std::int64_t pieces = dense_.batch * groups();
    bands_ = std::clamp<std::int64_t>((wanted + pieces - 1) / pieces, 1,
                                      std::max<std::int64_t>(most, 1));
  }

  const ConvSizes& dense_;
  const ConvSizes& depthwise_;
  NchwcDensePlan dense_plan_;
  std::int64_t blocks_ = 1;      ///< of channels
  std::int64_t strip_rows_ = 1;  ///< of the result
  std::int64_t held_rows_ = 1;   ///< between the convolutions
  std::int64_t block_floats_ = 0;
  std::int64_t frame_bytes_ = 0;
  std::int64_t bands_ = 1;
};

/// One thread's slot.
class PostOpTask {
 public:
  PostOpTask(const PostOpPlan& plan, const NchwcDenseTask& dense,
             const NchwcDepthwiseTask& depthwise, std::int64_t columns, std::int64_t lanes,
             std::byte* slot)
      : plan_(plan),
        dense_(dense),
        depthwise_(depthwise),
        columns_(columns),
        row_floats_(columns * lanes),
        held_(*reinterpret_cast<HeldRows*>(slot)),
        strip_(reinterpret_cast<float*>(slot + plan.strip_at())),
        frame_(plan.is_framed() ? reinterpret_cast<float*>(slot + plan.frame_at()) : nullptr) {}

  void run(std::int64_t image, std::int64_t group, std::int64_t blocks, std::int64_t row_begin,
           std::int64_t row_end) const {
    if (held_.image != image || held_.group != group) held_ = {image, group, 0, 0};
    for (std::int64_t row = row_begin; row < row_end;) {
      const std::int64_t end = std::min(row + plan_.strip_rows(), row_end);
      const RowRange read = plan_.rows_read(row, end);
      fill(group, blocks, read);
      for (std::int64_t i = 0; i < blocks; ++i) {
        const NchwcImageRows rows{
            {.floats = strip_ + i * plan_.block_floats()}, read.begin, read.end - read.begin};
        depthwise_.run_block(image, 2 * group + i, row, end, rows, frame_);
      }
      row = end;
    }
  }

 private:
  /// Makes the strip start with `rows`; keeps those of them that it holds.
  void fill(std::int64_t group, std::int64_t blocks, const RowRange& rows) const {
    std::int64_t first = rows.begin;
    if (held_.begin <= rows.begin && rows.begin < held_.end && held_.end <= rows.end) {
      first = held_.end;
      for (std::int64_t i = 0; i < blocks && rows.begin > held_.begin; ++i) {
        float* const block = strip_ + i * plan_.block_floats();
        std::memmove(block, block + (rows.begin - held_.begin) * row_floats_,
                     static_cast<std::size_t>((first - rows.begin) * row_floats_) * 4);
      }
    }
    held_.begin = rows.begin;
    held_.end = rows.end;
    if (first == rows.end) return;
    const NchwcResultRows to{strip_, group, rows.begin * columns_, plan_.block_floats()};
    dense_.run_rows(first, rows.end, group, group + 1, to);
  }

  const PostOpPlan& plan_;
  const NchwcDenseTask& dense_;
  const NchwcDepthwiseTask& depthwise_;
  std::int64_t columns_;
  std::int64_t row_floats_;
  HeldRows& held_;
  float* strip_;
  float* frame_;
};

}  // namespace

bool can_append_depthwise(const ConvSizes& sizes, NchwcConvAlgorithm path,
                          const ConvSizes& depthwise) {
  return path != NchwcConvAlgorithm::winograd && sizes.groups == 1 && volume(sizes.out) > 0 &&
         can_block_conv(sizes, path) && can_block_conv(depthwise, NchwcConvAlgorithm::direct) &&
         depthwise.groups == sizes.channels_out && depthwise.channels_in == sizes.channels_out &&
         depthwise.channels_out == sizes.channels_out && depthwise.batch == sizes.batch &&
         std::equal(std::begin(sizes.out), std::end(sizes.out), std::begin(depthwise.in));
}

bool is_worth_appending_depthwise(const ConvSizes& sizes, NchwcConvAlgorithm path,
                                  const ConvSizes& depthwise, Isa isa) {
  constexpr std::int64_t least_bytes = 64 * 1024;
  constexpr std::int64_t least_strips = 3;
  if (volume(depthwise.out) <= 0) return false;
  const PostOpPlan plan(sizes, path, depthwise, nchwc_functions(isa));
  return !plan.copies_often() &&
         plan.bytes_between() >= std::max(least_bytes, least_strips * plan.strip_bytes());
}

std::int64_t nchwc_depthwise_post_op_workspace_bytes(const ConvSizes& sizes,
                                                     NchwcConvAlgorithm path,
                                                     const ConvSizes& depthwise, Isa isa,
                                                     int threads) {
  if (sizes.batch <= 0 || volume(depthwise.out) <= 0) return 0;
  const PostOpPlan plan(sizes, path, depthwise, nchwc_functions(isa));
  return plan.slot_bytes() * std::min<std::int64_t>(std::max(threads, 1), plan.tasks());
}

void conv_nchwc_with_depthwise(const ConvSizes& sizes, NchwcConvAlgorithm path, const InputImage& x,
                               const float* packed_weights, const Epilogue& epilogue,
                               const NchwcDepthwisePostOp& depthwise, const OutputImage& y, Isa isa,
                               void* workspace, Workers& workers) {
  if (sizes.batch <= 0 || volume(depthwise.sizes.out) <= 0) return;
  const NchwcFunctions& functions = nchwc_functions(isa);
  const PostOpPlan plan(sizes, path, depthwise.sizes, functions);
  const NchwcConvOperands dense_operands{x, packed_weights, {}, epilogue};
  const NchwcConvOperands operands{{}, depthwise.packed_weights, y, depthwise.epilogue};
  const NchwcDepthwiseTask windows(depthwise.sizes, operands, functions, nullptr);
  const std::int64_t rows = depthwise.sizes.out[1];
  const std::int64_t blocks = (sizes.channels_out + functions.lanes - 1) / functions.lanes;
  const auto slots = static_cast<int>(std::min<std::int64_t>(workers.count(), plan.tasks()));
  for (int i = 0; i < slots; ++i) {
    auto* held =
        reinterpret_cast<HeldRows*>(static_cast<std::byte*>(workspace) + i * plan.slot_bytes());
    *held = {0, -1, 0, 0};
  }
  WorkspaceSlots buffers(workspace, plan.slot_bytes(), slots);
  workers.parallel_for(plan.tasks(), [&](std::int64_t task) {
    const WorkspaceSlots::Lease lease(buffers);
    const std::int64_t band = task % plan.bands();
    const std::int64_t group = task / plan.bands() % plan.groups();
    const std::int64_t image = task / plan.bands() / plan.groups();
    const NchwcDenseTask dense(sizes, plan.dense_plan(), dense_operands, functions, image,
                               reinterpret_cast<float*>(lease.data() + plan.copy_at()));
    PostOpTask(plan, dense, windows, depthwise.sizes.in[2], functions.lanes, lease.data())
        .run(image, group, std::min<std::int64_t>(2, blocks - 2 * group),
             rows * band / plan.bands(), rows * (band + 1) / plan.bands());
  });
}

}  // namespace ortool::cpu
