// Dense int8 NCHW16c convolution: runs of pixels of a row by pairs of channel blocks. Unless
// windows can be read from the image in place, strips of it are copied with padding, so that each
// tap of a window is at a fixed offset in the copy.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"
#include "kernels/cpu/conv/int8_nchwc/interleave_pixels.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Target size of a strip's copy in bytes, and runs per call if nothing is copied.
constexpr std::int64_t strip_bytes = std::int64_t{128} << 10U;
constexpr std::int64_t runs_in_place = 16;
/// Images so small that weights are multiplied by few runs before the next ones are needed.
constexpr std::int64_t few_pixels = 256;
/// Runs that are multiplied by one pair of channel blocks before the next pair.
constexpr std::int64_t most_runs = 32;

/// What a strip's copy holds: input of the output pixels from a row and column on.
struct StripPlace {
  std::int64_t image;
  std::int64_t row;
  std::int64_t column;
  std::int64_t size;  ///< rows, or pixels

  bool operator==(const StripPlace&) const = default;
};

/// A thread's slot; the copy follows.
struct DenseSlot {
  PendingTies ties;
  StripPlace copied;
};
constexpr std::int64_t slot_header_bytes = whole_lines(sizeof(DenseSlot));

/// Whether windows can be read from the image in place.
bool lies_in_place(const ConvSizes& sizes, bool from_nchw, std::uint8_t flip) {
  return !from_nchw && is_pointwise(sizes) && flip == 0;
}

/// Whether each window is a single pixel inside the image.
bool has_single_pixels(const ConvSizes& sizes) {
  const auto is_inside = [&](int axis) {
    return sizes.pad[axis] == 0 && (sizes.out[axis] - 1) * sizes.stride[axis] < sizes.in[axis];
  };
  return volume(sizes.kernel) == 1 && is_inside(1) && is_inside(2);
}

std::int64_t reach_of(const ConvSizes& sizes, int axis) {
  return (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
}

/// How the output is partitioned into runs, and how much of the image is copied for each strip.
struct DensePlan {
  bool is_in_place;
  bool copies_pixels;  ///< of single-pixel windows, one after the other
  bool from_nchw;
  bool has_words;             ///< weights are in split quads
  std::int64_t max_pixels;    ///< per run
  std::int64_t run_unit = 1;  ///< pixels; all runs but the last of a row are multiples of it
  std::int64_t rows;          ///< output rows; all single pixels form one row
  std::int64_t columns;       ///< output columns
  std::int64_t runs_a_row;    ///< of about equal length
  std::int64_t strip_rows;    ///< output rows per strip
  std::int64_t strip_runs;    ///< runs per strip, if it is less than a row
  std::int64_t width = 0;     ///< pixels per row of a strip's copy
  std::int64_t plane = 0;     ///< bytes per channel block of a strip's copy
  std::int64_t pixel_bytes;   ///< of the copy that windows read
  std::int64_t copy_bytes = 0;

  DensePlan(const ConvSizes& sizes, bool is_plain, std::uint8_t flip,
            const NchwcInt8Functions& functions)
      : is_in_place(lies_in_place(sizes, is_plain, flip)),
        copies_pixels(!is_plain && !is_in_place && has_single_pixels(sizes)),
        from_nchw(is_plain),
        has_words(functions.columns != nullptr),
        max_pixels(functions.max_pixels) {
    const bool is_one_row = is_in_place || copies_pixels;
    rows = is_one_row ? 1 : sizes.out[1];
    columns = is_one_row ? volume(sizes.out) : sizes.out[2];
    // Runs of fewer pixels leave registers for requantizing; a row in a single run loads each
    // weight once.
    const DenseLayout layout(sizes, from_nchw, functions);
    runs_a_row = (columns + max_pixels - 1) / max_pixels;
    if (columns > max_pixels && layout.steps * layout.words >= functions.shared_words) {
      run_unit = 4;
      // The last run takes one or two pixels more.
      runs_a_row = (columns - 3) / functions.shared_pixels + 1;
    }
    strip_rows = 1;
    strip_runs = is_in_place ? runs_in_place : runs_a_row;
    pixel_bytes = int8_block;
    if (from_nchw) pixel_bytes = has_words ? nchw_pixel_bytes(sizes) : sizes.channels_in;
    if (is_in_place || from_nchw) return;
    const std::int64_t blocks = int8_blocks(sizes.channels_in);
    const auto width_of = [&](std::int64_t pixels) {
      return copies_pixels ? pixels : (pixels - 1) * sizes.stride[2] + reach_of(sizes, 2);
    };
    const auto height_of = [&](std::int64_t of) {
      return (of - 1) * sizes.stride[1] + reach_of(sizes, 1);
    };
    const auto bytes_of_strip = [&](std::int64_t of_rows, std::int64_t pixels) {
      return height_of(of_rows) * width_of(pixels) * int8_block * blocks;
    };
    while (strip_runs > 1 && bytes_of_strip(1, pixels_of(strip_runs)) > strip_bytes)
      strip_runs = (strip_runs + 1) / 2;
    width = width_of(pixels_of(strip_runs));
    if (strip_runs == runs_a_row && !copies_pixels) {
      // Overlapping windows of adjacent strips are copied twice: limit that overhead.
      const std::int64_t row_bytes = sizes.stride[1] * width * int8_block * blocks;
      const std::int64_t fitting = (strip_bytes - bytes_of_strip(1, columns)) / row_bytes + 1;
      strip_rows = std::min(rows, std::max(fitting, reach_of(sizes, 1)));
    }
    plane = height_of(strip_rows) * width * int8_block;
    copy_bytes = whole_lines(plane * blocks + nchwc_int8_slack);
  }

  std::int64_t steps(const ConvSizes& sizes) const {
    if (has_words) return quads_a_block(sizes, from_nchw);
    return from_nchw ? sizes.kernel[1] : dense_steps(sizes, false);
  }
  std::int64_t offset_bytes(const ConvSizes& sizes) const { return whole_lines(steps(sizes) * 8); }
  std::int64_t slot_bytes() const { return slot_header_bytes + copy_bytes; }
  std::int64_t run_begin(std::int64_t run) const {
    const std::int64_t units = (columns + run_unit - 1) / run_unit;
    return std::min(columns, units * run / runs_a_row * run_unit);
  }
  /// Maximum number of pixels in `runs` consecutive runs of a row.
  std::int64_t pixels_of(std::int64_t runs) const {
    return runs == runs_a_row ? columns : std::min(columns, runs * max_pixels);
  }
};

class DenseInt8Conv {
 public:
  DenseInt8Conv(const NchwcInt8Conv& conv, const DensePlan& plan, const std::uint8_t* pixel_copy,
                std::int64_t copied_columns, std::int64_t* offsets)
      : conv_(conv),
        sizes_(conv.sizes),
        plan_(plan),
        pixel_copy_(pixel_copy),
        copied_columns_(copied_columns),
        offsets_(offsets),
        layout_(conv.sizes, plan.from_nchw, conv.functions),
        steps_(plan.steps(conv.sizes)),
        blocks_in_(int8_blocks(conv.sizes.channels_in)),
        blocks_out_(int8_blocks(conv.sizes.channels_out)),
        pixels_(volume(conv.sizes.out)) {
    if (plan.has_words) words_.emplace(conv.packed, blocks_out_, steps_);
    for (std::int64_t step = 0; step < steps_; ++step) offsets[step] = offset_of(step);
  }

  /// Computes runs [piece.row_begin, piece.row_end), counted over all rows.
  void compute(std::int64_t image, const PartitionTile& piece, std::byte* slot) const {
    auto& header = *reinterpret_cast<DenseSlot*>(slot);
    auto* strip = reinterpret_cast<std::uint8_t*>(slot) + slot_header_bytes;
    NchwcInt8Run runs[most_runs];
    std::int64_t first = piece.row_begin;
    while (first < piece.row_end) {
      const std::int64_t row = first / plan_.runs_a_row;
      const std::int64_t row_end = (row + plan_.strip_rows) * plan_.runs_a_row;
      const std::int64_t end = std::min(
          {piece.row_end, row_end, plan_.strip_rows > 1 ? row_end : first + plan_.strip_runs});
      const bool is_part = plan_.copies_pixels || plan_.strip_runs < plan_.runs_a_row;
      const std::int64_t column = is_part ? plan_.run_begin(first % plan_.runs_a_row) : 0;
      if (plan_.copy_bytes > 0) {
        const std::int64_t size = plan_.copies_pixels ? plan_.run_begin(end) - column
                                                      : (end - 1) / plan_.runs_a_row - row + 1;
        copy({image, row, column, size}, header, strip);
      }
      for (std::int64_t begin = first; begin < end; begin += most_runs) {
        const std::int64_t count = std::min(most_runs, end - begin);
        for (std::int64_t i = 0; i < count; ++i)
          runs[i] = run_of(image, begin + i, row, column, strip);
        for (std::int64_t pair = piece.block_begin; pair < piece.block_end; ++pair)
          multiply(image, pair * 2, {runs, static_cast<std::size_t>(count)}, header.ties);
      }
      first = end;
    }
  }

 private:
  std::int64_t offset_of(std::int64_t step) const {
    if (plan_.has_words) {
      const PlacedQuad word = placed_quad(sizes_, plan_.from_nchw, step);
      const std::int64_t plane = plan_.is_in_place ? pixels_ * int8_block : plan_.plane;
      const std::int64_t width = plan_.from_nchw ? copied_columns_ : plan_.width;
      return word.block * plane + word.byte +
             (word.row * sizes_.dilation[1] * width + word.column * sizes_.dilation[2]) *
                 plan_.pixel_bytes;
    }
    if (plan_.is_in_place) return step * pixels_ * int8_block;
    if (plan_.from_nchw) return step * sizes_.dilation[1] * copied_columns_ * plan_.pixel_bytes;
    const std::int64_t tap = step / blocks_in_;
    const std::int64_t down = tap / sizes_.kernel[2] * sizes_.dilation[1];
    const std::int64_t across = tap % sizes_.kernel[2] * sizes_.dilation[2];
    return step % blocks_in_ * plan_.plane + (down * plan_.width + across) * int8_block;
  }

  /// Copies the input of some output pixels, unless the slot still holds it from another task.
  void copy(const StripPlace& place, DenseSlot& header, std::uint8_t* out) const {
    if (header.copied == place) return;
    header.copied = place;
    if (plan_.copies_pixels) {
      copy_pixels(place, out);
    } else {
      copy_rows(place, out);
    }
  }

  void copy_pixels(const StripPlace& place, std::uint8_t* out) const {
    const std::int64_t in_plane = sizes_.in[1] * sizes_.in[2] * int8_block;
    const std::int64_t step = sizes_.stride[2] * int8_block;
    const std::uint64_t flip = conv_.desc.image_flip * 0x0101010101010101U;
    for (std::int64_t block = 0; block < blocks_in_; ++block) {
      const std::uint8_t* plane = conv_.x + (place.image * blocks_in_ + block) * in_plane;
      std::uint8_t* to = out + block * plan_.plane;
      const std::int64_t end = place.column + place.size;
      for (std::int64_t pixel = place.column; pixel < end;) {
        const std::int64_t row = pixel / sizes_.out[2];
        const std::int64_t row_end = std::min(end, (row + 1) * sizes_.out[2]);
        const std::uint8_t* from = plane + row * sizes_.stride[1] * sizes_.in[2] * int8_block +
                                   (pixel - row * sizes_.out[2]) * step;
        for (; pixel < row_end; ++pixel, from += step, to += int8_block) {
          std::uint64_t halves[2];
          std::memcpy(halves, from, sizeof halves);
          halves[0] ^= flip;
          halves[1] ^= flip;
          std::memcpy(to, halves, sizeof halves);
        }
      }
    }
  }

  void copy_rows(const StripPlace& place, std::uint8_t* out) const {
    const std::int64_t height = (place.size - 1) * sizes_.stride[1] + reach_of(sizes_, 1);
    const std::int64_t top = place.row * sizes_.stride[1] - sizes_.pad[1];
    const std::int64_t left = place.column * sizes_.stride[2] - sizes_.pad[2];
    const std::int64_t before = std::clamp<std::int64_t>(-left, 0, plan_.width);
    const std::int64_t inside =
        std::clamp<std::int64_t>(sizes_.in[2] - left, before, plan_.width) - before;
    const std::int64_t in_plane = sizes_.in[1] * sizes_.in[2] * int8_block;
    const auto fill = [&](std::uint8_t* to, std::int64_t pixels) {
      std::uint8_t pixel[int8_block];
      std::memset(pixel, conv_.params.image_zero, sizeof pixel);
      for (; pixels > 0; --pixels, to += int8_block) std::memcpy(to, pixel, sizeof pixel);
    };
    for (std::int64_t block = 0; block < blocks_in_; ++block) {
      const std::uint8_t* plane = conv_.x + (place.image * blocks_in_ + block) * in_plane;
      std::uint8_t* to = out + block * plan_.plane;
      for (std::int64_t y = top; y < top + height; ++y, to += plan_.width * int8_block) {
        if (y < 0 || y >= sizes_.in[1] || inside == 0) {
          fill(to, plan_.width);
          continue;
        }
        fill(to, before);
        const std::uint8_t* from = plane + (y * sizes_.in[2] + left + before) * int8_block;
        if (conv_.desc.image_flip == 0) {
          std::memcpy(to + before * int8_block, from,
                      static_cast<std::size_t>(inside * int8_block));
        } else {
          copy_flipped(from, inside * int8_block, conv_.desc.image_flip, to + before * int8_block);
        }
        fill(to + (before + inside) * int8_block, plan_.width - before - inside);
      }
    }
  }

  const std::uint8_t* window_of(std::int64_t image, std::int64_t row, std::int64_t column,
                                std::int64_t strip_row, std::int64_t strip_column,
                                const std::uint8_t* strip) const {
    if (plan_.is_in_place) return conv_.x + (image * blocks_in_ * pixels_ + column) * int8_block;
    if (plan_.from_nchw)
      return pixel_copy_ + (row * sizes_.stride[1] * copied_columns_ + column * sizes_.stride[2]) *
                               plan_.pixel_bytes;
    if (plan_.copies_pixels) return strip + (column - strip_column) * int8_block;
    return strip + ((row - strip_row) * sizes_.stride[1] * plan_.width +
                    (column - strip_column) * sizes_.stride[2]) *
                       int8_block;
  }

  NchwcInt8Run run_of(std::int64_t image, std::int64_t run, std::int64_t strip_row,
                      std::int64_t strip_column, const std::uint8_t* strip) const {
    const std::int64_t row = plan_.rows == 1 ? 0 : run / plan_.runs_a_row;
    const std::int64_t of_row = run - row * plan_.runs_a_row;
    const std::int64_t column = plan_.run_begin(of_row);
    NchwcInt8Run found;
    found.in = window_of(image, row, column, strip_row, strip_column, strip);
    found.out = (row * plan_.columns + column) * int8_block;
    found.pixels = static_cast<std::int32_t>(plan_.run_begin(of_row + 1) - column);
    return found;
  }

  /// Computes two channel blocks of some runs.
  void multiply(std::int64_t image, std::int64_t block, std::span<NchwcInt8Run> runs,
                PendingTies& pending) const {
    NchwcInt8Tile tile = {};
    tile.offsets = offsets_;
    tile.pixel_step =
        (plan_.is_in_place || plan_.copies_pixels ? 1 : sizes_.stride[2]) * plan_.pixel_bytes;
    tile.steps = steps_;
    tile.words = layout_.words;
    tile.tells_ties = conv_.params.floats != nullptr;
    tile.out = conv_.y + (image * blocks_out_ + block) * pixels_ * int8_block;
    tile.out_stride = pixels_ * int8_block;
    tile.weights = conv_.packed + block * layout_.block_bytes();
    tile.vectors = block + 1 < blocks_out_ ? 2 : 1;
    tile.channels = static_cast<std::int32_t>(
        std::min(2 * int8_block, sizes_.channels_out - block * int8_block));
    if (plan_.has_words) {
      tile.weights = words_->weights(block);
      for (std::int64_t i = 0; i < tile.vectors; ++i) tile.again[i] = words_->again(block + i);
    }
    if (block + 2 < blocks_out_ && pixels_ <= few_pixels) {
      const std::int64_t next = std::min<std::int64_t>(2, blocks_out_ - block - 2);
      tile.prefetch = tile.weights + 2 * layout_.block_bytes();
      tile.prefetch_lines = next * layout_.block_bytes() / 64;
    }
    conv_.set_epilogue(tile.epilogue, block);
    conv_.functions.tiles(tile, runs.data(), static_cast<std::int64_t>(runs.size()));
    if (!tile.tells_ties) return;
    for (const NchwcInt8Run& run : runs) {
      if (run.has_ties) note_ties(image, block, tile.vectors, run, pending);
    }
  }

  void note_ties(std::int64_t image, std::int64_t block, std::int64_t vectors,
                 const NchwcInt8Run& run, PendingTies& pending) const {
    for (std::int64_t i = 0; i < vectors; ++i) {
      for (std::int64_t four = 0; four < run.pixels; four += 4) {
        for (std::uint64_t bits = run.ties[i * max_tie_words + four / 4]; bits != 0;
             bits &= bits - 1) {
          const int bit = std::countr_zero(bits);
          pending.add(conv_, plan_.from_nchw,
                      {image, static_cast<std::int32_t>((block + i) * int8_block + bit % 16),
                       static_cast<std::int32_t>(run.out / int8_block + four + bit / 16)});
        }
      }
    }
  }

  const NchwcInt8Conv& conv_;
  const ConvSizes& sizes_;
  const DensePlan& plan_;
  const std::uint8_t* pixel_copy_;
  std::int64_t copied_columns_;
  const std::int64_t* offsets_;
  DenseLayout layout_;
  std::int64_t steps_;
  std::int64_t blocks_in_;
  std::int64_t blocks_out_;
  std::int64_t pixels_;
  std::optional<PackedQuads> words_;  ///< if quads are split
};

}  // namespace

std::int64_t dense_steps(const ConvSizes& sizes, bool from_nchw) {
  return from_nchw ? sizes.kernel[1] * ((sizes.kernel[2] + 3) / 4)
                   : volume(sizes.kernel) * int8_blocks(sizes.channels_in);
}

std::int64_t dense_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                   const NchwcInt8Functions& functions, int threads,
                                   std::uint8_t image_flip) {
  const DensePlan plan(sizes, from_nchw, image_flip, functions);
  return plan.offset_bytes(sizes) + (from_nchw ? PixelCopy(sizes, plan.pixel_bytes).bytes : 0) +
         plan.slot_bytes() * std::max(threads, 1);
}

void convolve_dense(const NchwcInt8Conv& conv, bool from_nchw, void* workspace, Workers& workers) {
  const ConvSizes& sizes = conv.sizes;
  const DensePlan plan(sizes, from_nchw, conv.desc.image_flip, conv.functions);
  const std::int64_t pairs = (int8_blocks(sizes.channels_out) + 1) / 2;
  const std::int64_t runs = plan.rows * plan.runs_a_row;
  const PixelCopy copy(sizes, plan.pixel_bytes);
  auto* offsets = static_cast<std::int64_t*>(workspace);
  auto* pixel_copy = static_cast<std::uint8_t*>(workspace) + plan.offset_bytes(sizes);
  auto* slots_at = reinterpret_cast<std::byte*>(pixel_copy + (from_nchw ? copy.bytes : 0));
  WorkspaceSlots slots(slots_at, plan.slot_bytes(), workers.count());
  TieSlots ties(slots_at, plan.slot_bytes(), workers.count());
  for (int slot = 0; slot < workers.count(); ++slot) {
    reinterpret_cast<DenseSlot*>(slots_at + slot * plan.slot_bytes())->copied = {-1, 0, 0, 0};
  }
  const DenseInt8Conv dense(conv, plan, pixel_copy, copy.columns, offsets);
  const double step_ns = plan.has_words ? 35.0 : 20.0;
  const double run_ns =
      static_cast<double>(pairs) * (15.0 + step_ns * static_cast<double>(plan.steps(sizes)));
  const auto compute = [&](std::int64_t first_image, std::int64_t images) {
    const SpatialPartition cut(images, runs, pairs,
                               cuts_channels_by_rows(sizes.channels_out, volume(sizes.out)),
                               static_cast<double>(images * runs) * run_ns);
    cut.run(workers, [&](const PartitionTile& piece) {
      const WorkspaceSlots::Lease lease(slots);
      dense.compute(first_image + piece.image, piece, lease.data());
    });
    ties.resolve(conv, from_nchw, workers);
  };
  if (!from_nchw) return compute(0, sizes.batch);
  constexpr std::int64_t rows_together = 16;
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    workers.parallel_ranges(copy.rows, rows_together, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) copy.fill_row(conv, image, row, pixel_copy);
    });
    compute(image, 1);
  }
}

}  // namespace ortool::cpu
