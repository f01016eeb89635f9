// Depthwise int8 NCHW16c convolution with split quads: the input rows of an output row are
// transposed into quads of four rows, so that a window's quads are adjacent.
#include "kernels/cpu/conv/int8_nchwc/depthwise_by_rows.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t rows_a_word = 4;
constexpr std::int64_t pixel_words = 64;  ///< bytes of a pixel's quads

std::int64_t lines_of(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Layout of a task's workspace.
struct ColumnPlan {
  std::int64_t columns;  ///< input columns per output row, with padding
  std::int64_t groups;   ///< of four kernel rows
  std::int64_t pad_at;   ///< offset of a row of padding
  std::int64_t tie_at;
  std::int64_t slot_bytes;
  std::int64_t offset_bytes;

  explicit ColumnPlan(const ConvSizes& sizes) {
    columns = (sizes.out[2] - 1) * sizes.stride[2] + (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
    groups = (sizes.kernel[1] + rows_a_word - 1) / rows_a_word;
    pad_at = columns * groups * pixel_words;
    tie_at = lines_of(pad_at + sizes.in[2] * int8_block);
    slot_bytes = tie_at + lines_of((sizes.out[2] + 3) / 4 * 8);
    offset_bytes = lines_of(groups * sizes.kernel[2] * 8);
  }
};

class DepthwiseByRowsConv {
 public:
  DepthwiseByRowsConv(const NchwcInt8Conv& conv, const ColumnPlan& plan, std::int64_t* offsets)
      : conv_(conv),
        sizes_(conv.sizes),
        functions_(*conv.functions.columns),
        plan_(plan),
        offsets_(offsets),
        words_(plan.groups * sizes_.kernel[2]) {
    for (std::int64_t word = 0; word < words_; ++word) {
      offsets[word] =
          (word / sizes_.kernel[2] * plan.columns + word % sizes_.kernel[2] * sizes_.dilation[2]) *
          pixel_words;
    }
  }

  void compute(std::int64_t image, std::int64_t block, std::int64_t row_begin, std::int64_t row_end,
               std::byte* slot) const {
    auto* space = reinterpret_cast<std::uint8_t*>(slot);
    const PackedQuads words(conv_.packed, int8_blocks(sizes_.channels_out), words_);
    const std::int64_t plane = image * int8_blocks(sizes_.channels_out) + block;
    std::memset(space + plan_.pad_at, conv_.fill(),
                static_cast<std::size_t>(sizes_.in[2] * int8_block));
    RowConvolution row = {};
    row.in = space;
    row.offsets = offsets_;
    row.words = words_;
    row.pixel_step = sizes_.stride[2] * pixel_words;
    row.weights = words.weights(block);
    row.again = words.again(block);
    conv_.set_epilogue(row.epilogue, block);
    row.pixels = sizes_.out[2];
    row.channels = sizes_.channels_out - block * int8_block;
    row.ties = reinterpret_cast<std::uint64_t*>(slot + plan_.tie_at);
    for (std::int64_t y = row_begin; y < row_end; ++y) {
      for (std::int64_t group = 0; group < plan_.groups; ++group) turn(plane, y, group, space);
      const std::int64_t pixel = y * sizes_.out[2];
      row.out = conv_.y + (plane * volume(sizes_.out) + pixel) * int8_block;
      if (functions_.run(row)) resolve_ties(conv_, image, block, pixel, sizes_.out[2], row.ties);
    }
  }

 private:
  /// Transposes the window rows from 4 * group on, for output row `y`.
  void turn(std::int64_t plane, std::int64_t y, std::int64_t group, std::uint8_t* space) const {
    const std::int64_t before = std::min(sizes_.pad[2], plan_.columns);
    const std::int64_t inside = std::min(sizes_.in[2], plan_.columns - before);
    const std::int64_t behind = plan_.columns - before - inside;
    std::uint8_t* out = space + group * plan_.columns * pixel_words;
    const auto fill = [&](std::uint8_t* to, std::int64_t pixels) {
      std::memset(to, conv_.params.image_zero, static_cast<std::size_t>(pixels * pixel_words));
    };
    RowTranspose turn = {};
    for (std::int64_t i = 0; i < rows_a_word; ++i) {
      const std::int64_t tap = group * rows_a_word + i;
      const std::int64_t row = y * sizes_.stride[1] - sizes_.pad[1] + tap * sizes_.dilation[1];
      // Rows past the kernel have zero weights.
      const bool is_inside = tap < sizes_.kernel[1] && row >= 0 && row < sizes_.in[1];
      turn.rows[i] = is_inside ? conv_.x + (plane * sizes_.in[1] + row) * sizes_.in[2] * int8_block
                               : space + plan_.pad_at;
    }
    turn.pixels = inside;
    turn.flip = conv_.desc.image_flip;
    turn.out = out + before * pixel_words;
    fill(out, before);
    functions_.turn(turn);
    fill(out + (before + inside) * pixel_words, behind);
  }

  const NchwcInt8Conv& conv_;
  const ConvSizes& sizes_;
  const DepthwiseByRowsFunctions& functions_;
  const ColumnPlan& plan_;
  const std::int64_t* offsets_;
  std::int64_t words_;
};

}  // namespace

std::int64_t depthwise_by_rows_workspace_bytes(const ConvSizes& sizes, int threads) {
  const ColumnPlan plan(sizes);
  return plan.offset_bytes + plan.slot_bytes * std::max(threads, 1);
}

void convolve_depthwise_by_rows(const NchwcInt8Conv& conv, void* workspace, Workers& workers) {
  const ConvSizes& sizes = conv.sizes;
  const ColumnPlan plan(sizes);
  const DepthwiseByRowsConv columns(conv, plan, static_cast<std::int64_t*>(workspace));
  WorkspaceSlots slots(static_cast<std::byte*>(workspace) + plan.offset_bytes, plan.slot_bytes,
                       workers.count());
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  const std::int64_t pixels = volume(sizes.out);
  const double pixel_ns = 4.0 + static_cast<double>(plan.groups * sizes.kernel[2]);
  const SpatialPartition cut(sizes.batch, sizes.out[1], blocks,
                             cuts_channels_by_rows(sizes.channels_out, pixels),
                             static_cast<double>(sizes.batch * blocks * pixels) * pixel_ns);
  cut.run(workers, [&](const PartitionTile& piece) {
    const WorkspaceSlots::Lease lease(slots);
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block)
      columns.compute(piece.image, block, piece.row_begin, piece.row_end, lease.data());
  });
}

}  // namespace ortool::cpu
