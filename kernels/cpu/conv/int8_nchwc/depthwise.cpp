// Depthwise int8 NCHW16c convolution: computes rows of pixels from a padded copy of the input,
// which they may overwrite.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// The padded copy for a strip of output rows, and the layout of the workspace next to it.
struct RowTile {
  std::int64_t rows_out = 1;
  std::int64_t columns = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t tie_bytes = 0;
  std::int64_t tap_bytes = 0;

  RowTile(const ConvSizes& sizes, bool is_joined) {
    constexpr std::int64_t wanted_bytes = 20 * 1024;
    const std::int64_t reach = (sizes.kernel[1] - 1) * sizes.dilation[1] + 1;
    columns = (sizes.out[2] - 1) * sizes.stride[2] + (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
    const std::int64_t wanted_rows = wanted_bytes / (columns * int8_block);
    rows_out =
        std::clamp<std::int64_t>((wanted_rows - reach) / sizes.stride[1] + 1, 1, sizes.out[1]);
    const std::int64_t rows = (rows_out - 1) * sizes.stride[1] + reach;
    // The last four pixels of a row read past its end.
    const std::int64_t slack = nchwc_int8_slack + 4 * sizes.stride[2] * int8_block;
    copy_bytes = (rows * columns * int8_block + slack + 63) / 64 * 64;
    tie_bytes = (sizes.out[2] + 3) / 4 * 8;
    tap_bytes = depthwise_quads(sizes, is_joined) * 4 * 8;
  }
  std::int64_t slot_bytes() const { return copy_bytes + (tie_bytes + 63) / 64 * 64; }
};

class DepthwiseInt8Conv {
 public:
  /// `joined`: the kernel returned by joined_depthwise.
  DepthwiseInt8Conv(const NchwcInt8Conv& conv, JoinedWindowFunction joined, const RowTile& strip,
                    std::int64_t* taps)
      : conv_(conv), sizes_(conv.sizes), joined_(joined), strip_(strip), taps_(taps) {
    const bool is_joined = joined != nullptr;
    const std::int64_t offsets_a_word = is_joined ? 1 : 4;
    words_ = depthwise_quads(sizes_, is_joined);
    for (std::int64_t i = 0; i < words_ * offsets_a_word; ++i) {
      const std::int64_t tap =
          std::min(depthwise_tap(sizes_, is_joined, i / offsets_a_word, i % offsets_a_word),
                   volume(sizes_.kernel) - 1);
      taps[i] = (tap / sizes_.kernel[2] * sizes_.dilation[1] * strip.columns +
                 tap % sizes_.kernel[2] * sizes_.dilation[2]) *
                int8_block;
    }
  }

  void compute(std::int64_t image, std::int64_t block, std::int64_t row_begin, std::int64_t row_end,
               std::byte* slot) const {
    auto* copy = reinterpret_cast<std::uint8_t*>(slot);
    auto* ties = reinterpret_cast<std::uint64_t*>(slot + strip_.copy_bytes);
    const std::int64_t plane = image * int8_blocks(sizes_.channels_out) + block;
    const auto run = joined_ != nullptr ? joined_ : conv_.functions.window;
    NchwcInt8Window window = {};
    window.tap_offsets = taps_;
    window.words = words_;
    window.pixel_step = sizes_.stride[2] * int8_block;
    window.weights = conv_.packed + block * words_ * depthwise_quad_bytes(joined_ != nullptr);
    conv_.set_epilogue(window.epilogue, block);
    window.pixels = sizes_.out[2];
    window.ties = ties;
    const std::int64_t row_bytes = strip_.columns * int8_block;
    const std::int64_t reach = (sizes_.kernel[1] - 1) * sizes_.dilation[1] + 1;
    std::int64_t kept = 0;  // rows of the copy that the strip before has left at its front
    for (std::int64_t first = row_begin; first < row_end; first += strip_.rows_out) {
      const std::int64_t rows = std::min(strip_.rows_out, row_end - first);
      copy_rows(plane, first, kept, (rows - 1) * sizes_.stride[1] + reach, copy);
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t pixel = (first + row) * sizes_.out[2];
        window.in = copy + row * sizes_.stride[1] * row_bytes;
        window.out = conv_.y + (plane * volume(sizes_.out) + pixel) * int8_block;
        if (run(window) && conv_.params.floats != nullptr) resolve(block, pixel, window);
      }
      if (first + rows == row_end) break;
      kept = std::max<std::int64_t>(reach - sizes_.stride[1], 0);
      std::memmove(copy, copy + rows * sizes_.stride[1] * row_bytes,
                   static_cast<std::size_t>(kept * row_bytes));
    }
  }

 private:
  /// Resolves the rounding ties of a row, from the copy: the image may be overwritten.
  void resolve(std::int64_t block, std::int64_t first, const NchwcInt8Window& window) const {
    for (std::int64_t four = 0; four < window.pixels; four += 4) {
      for (std::uint64_t bits = window.ties[four / 4]; bits != 0; bits &= bits - 1) {
        const int bit = std::countr_zero(bits);
        const std::int64_t pixel = four + bit / int8_block;
        const std::int64_t lane = bit % int8_block;
        window.out[pixel * int8_block + lane] = conv_.tie_resolver.decide_in_copy(
            block * int8_block + lane, first + pixel, window.in + pixel * window.pixel_step + lane,
            sizes_.dilation[1] * strip_.columns * int8_block, sizes_.dilation[2] * int8_block);
      }
    }
  }

  /// Copies the input rows [begin, end) of those that output rows from `first` on read.
  void copy_rows(std::int64_t plane, std::int64_t first, std::int64_t begin, std::int64_t end,
                 std::uint8_t* copy) const {
    std::uint8_t* out = copy + begin * strip_.columns * int8_block;
    const std::int64_t left = std::min(sizes_.pad[2], strip_.columns);
    const std::int64_t inside = std::min(sizes_.in[2], strip_.columns - left);
    const std::int64_t right = strip_.columns - left - inside;
    const auto fill = [&](std::uint8_t* to, std::int64_t pixels) {
      std::memset(to, conv_.params.image_zero, static_cast<std::size_t>(pixels * int8_block));
    };
    for (std::int64_t i = begin; i < end; ++i, out += strip_.columns * int8_block) {
      const std::int64_t row = first * sizes_.stride[1] - sizes_.pad[1] + i;
      if (row < 0 || row >= sizes_.in[1]) {
        fill(out, strip_.columns);
        continue;
      }
      fill(out, left);
      const std::uint8_t* from = conv_.x + (plane * sizes_.in[1] + row) * sizes_.in[2] * int8_block;
      if (conv_.desc.image_flip == 0) {
        std::memcpy(out + left * int8_block, from, static_cast<std::size_t>(inside * int8_block));
      } else {
        copy_flipped(from, inside * int8_block, conv_.desc.image_flip, out + left * int8_block);
      }
      fill(out + (left + inside) * int8_block, right);
    }
  }

  const NchwcInt8Conv& conv_;
  const ConvSizes& sizes_;
  JoinedWindowFunction joined_;
  const RowTile& strip_;
  const std::int64_t* taps_;
  std::int64_t words_;
};

}  // namespace

JoinedWindowFunction joined_depthwise(const ConvSizes& sizes, Isa isa) {
  const JoinedWindowFunction* joined = joined_window(isa);
  return sizes.dilation[2] == 1 && joined != nullptr ? *joined : nullptr;
}

std::int64_t depthwise_quads(const ConvSizes& sizes, bool is_joined) {
  return is_joined ? sizes.kernel[1] * ((sizes.kernel[2] + 3) / 4) : (volume(sizes.kernel) + 3) / 4;
}

std::int64_t depthwise_quad_bytes(bool is_joined) {
  return is_joined ? 64 : 256;
}

std::int64_t depthwise_tap(const ConvSizes& sizes, bool is_joined, std::int64_t word,
                           std::int64_t byte) {
  if (!is_joined) return word * 4 + byte;
  const std::int64_t words_a_row = (sizes.kernel[2] + 3) / 4;
  const std::int64_t column = word % words_a_row * 4 + byte;
  return column < sizes.kernel[2] ? word / words_a_row * sizes.kernel[2] + column
                                  : volume(sizes.kernel);
}

std::int64_t depthwise_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  const RowTile strip(sizes, joined_depthwise(sizes, isa) != nullptr);
  return (strip.tap_bytes + 63) / 64 * 64 + strip.slot_bytes() * std::max(threads, 1);
}

bool can_overwrite_depthwise(const ConvSizes& sizes, int threads) {
  // A task has whole planes then, of which there may be too few for many threads.
  constexpr std::int64_t tasks_a_thread = 4;
  return (threads <= 1 ||
          sizes.batch * int8_blocks(sizes.channels_out) >= tasks_a_thread * threads) &&
         sizes.stride[1] == 1 && sizes.stride[2] == 1 &&
         std::equal(std::begin(sizes.in), std::end(sizes.in), std::begin(sizes.out));
}

void convolve_depthwise(const NchwcInt8Conv& conv, Isa isa, void* workspace, Workers& workers) {
  const ConvSizes& sizes = conv.sizes;
  const JoinedWindowFunction joined = joined_depthwise(sizes, isa);
  const bool is_joined = joined != nullptr;
  const RowTile strip(sizes, is_joined);
  const DepthwiseInt8Conv depthwise(conv, joined, strip, static_cast<std::int64_t*>(workspace));
  WorkspaceSlots slots(static_cast<std::byte*>(workspace) + (strip.tap_bytes + 63) / 64 * 64,
                       strip.slot_bytes(), workers.count());
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  const std::int64_t pixels = volume(sizes.out);
  const auto words = static_cast<double>(depthwise_quads(sizes, is_joined));
  const double pixel_ns = is_joined ? 1.0 + words / 2 : 2.0 + words;
  const double block_ns = static_cast<double>(pixels) * pixel_ns;
  // Tasks copy their border rows redundantly, since windows of adjacent tasks overlap.
  const std::int64_t rows = sizes.out[1];
  const std::int64_t bands =
      conv.x == conv.y ? 1
                       : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
                             std::max<std::int64_t>(rows / (2 * sizes.kernel[1]), 1))));
  const SpatialPartition cut(sizes.batch, bands, blocks,
                             cuts_channels_by_rows(sizes.channels_out, pixels),
                             static_cast<double>(sizes.batch * blocks) * block_ns);
  cut.run(workers, [&](const PartitionTile& piece) {
    const WorkspaceSlots::Lease lease(slots);
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block)
      depthwise.compute(piece.image, block, rows * piece.row_begin / bands,
                        rows * piece.row_end / bands, lease.data());
  });
}

}  // namespace ortool::cpu
