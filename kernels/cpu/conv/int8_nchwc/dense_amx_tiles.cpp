// Dense int8 NCHW16c convolution with AMX tiles: the image is copied so that each pixel's channels
// are contiguous, and every tap of a window is at a fixed offset in the copy.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/int8_nchwc/interleave_pixels.hpp"
#include "kernels/cpu/conv/int8_nchwc/tile_layout.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t pair_channels = 2 * int8_block;
/// Size budgets in bytes: a strip's copy, a whole image's shared copy, and what one call reads.
constexpr std::int64_t tiled_strip_bytes = std::int64_t{192} << 10U;
constexpr std::int64_t max_shared_bytes = std::int64_t{1} << 20U;
constexpr std::int64_t call_bytes = std::int64_t{24} << 10U;
constexpr std::int64_t max_call_groups = 16;

/// How much is copied and multiplied at once, and the workspace layout.
struct TiledPlan {
  TiledSteps steps;
  TiledRows rows;
  bool copies_whole;             ///< once, before all tasks; otherwise each task copies strips
  std::int64_t strip_pixels;     ///< output pixels per strip
  std::int64_t call_pixels;      ///< output pixels multiplied by all weights in one call
  std::int64_t plane_pixels;     ///< pixels per plane of a copy
  std::int64_t image_bytes = 0;  ///< of the padded NCHW image
  std::int64_t offsets_at;
  std::int64_t shared_at;
  std::int64_t slots_at;
  std::int64_t ties_at;  ///< offset within a slot
  std::int64_t groups_at;
  std::int64_t copy_at;
  std::int64_t slot_bytes;

  TiledPlan(const ConvSizes& sizes, bool from_nchw) : steps(sizes, from_nchw), rows(sizes, steps) {
    const std::int64_t pixels = volume(sizes.out);
    const std::int64_t pixel_bytes = steps.planes() * steps.pixel_bytes;
    const auto copy_bytes = [&](std::int64_t of) {
      return tiled_plane_pixels(rows.max_span(of)) * pixel_bytes;
    };
    // Tasks split by channels, or with overlapping windows, would repeat the copying.
    const bool would_copy_again =
        steps.taps > 1 || !cuts_channels_by_rows(sizes.channels_out, pixels);
    copies_whole = !from_nchw && sizes.batch == 1 && would_copy_again &&
                   copy_bytes(pixels) <= max_shared_bytes;
    const auto groups_in = [&](std::int64_t bytes, std::int64_t least, std::int64_t most) {
      return std::clamp(bytes / (pixel_bytes * max_tiled_pixels), least, most) * max_tiled_pixels;
    };
    call_pixels = groups_in(call_bytes, 2, max_call_groups);
    strip_pixels = pixels;
    if (!copies_whole) {
      // Without overlapping windows a strip is what one call reads, so it stays in L1.
      const std::int64_t strip =
          groups_in(tiled_strip_bytes, max_call_groups, pixels + max_call_groups);
      strip_pixels = std::min(pixels, steps.taps == 1 ? call_pixels : strip);
    }
    plane_pixels = tiled_plane_pixels(rows.max_span(strip_pixels));
    if (from_nchw) image_bytes = PixelCopy(sizes).bytes;
    offsets_at = image_bytes;
    shared_at = offsets_at + lines<std::int64_t>(steps.count());
    slots_at = shared_at + (copies_whole ? whole_lines(plane_bytes() * steps.planes()) : 0);
    ties_at = lines<PendingTies>(1);
    groups_at = ties_at + lines<RoundingTie>(call_pixels * pair_channels);
    copy_at = groups_at + lines<TiledPixels>(rows.max_groups(call_pixels));
    slot_bytes = copy_at + (copies_whole ? 0 : whole_lines(plane_bytes() * steps.planes()));
  }

  std::int64_t plane_bytes() const { return plane_pixels * steps.pixel_bytes; }

 private:
  template <typename Item>
  static std::int64_t lines(std::int64_t count) {
    return whole_lines(count * static_cast<std::int64_t>(sizeof(Item)));
  }
};

class TiledInt8Conv {
 public:
  TiledInt8Conv(const NchwcInt8Conv& conv, const NchwcTiledFunctions& functions,
                const TiledPlan& plan, std::byte* workspace)
      : conv_(conv),
        sizes_(conv.sizes),
        functions_(functions),
        plan_(plan),
        steps_(plan.steps),
        image_copy_(reinterpret_cast<std::uint8_t*>(workspace)),
        offsets_(reinterpret_cast<std::int64_t*>(workspace + plan.offsets_at)),
        shared_(reinterpret_cast<std::uint8_t*>(workspace + plan.shared_at)) {
    for (std::int64_t step = 0; step < steps_.count(); ++step)
      offsets_[step] = tiled_step_offset(sizes_, steps_, plan.rows, plan.plane_bytes(), step);
  }

  /// Copies the input that all tasks share: rows [begin, end) of the whole copy.
  void copy_shared(std::int64_t image, std::int64_t begin, std::int64_t end) const {
    copy_span(image, begin * plan_.rows.width(), (end - begin) * plan_.rows.width(),
              shared_ + begin * plan_.rows.width() * steps_.pixel_bytes);
  }

  /// Computes pixels [begin, end) of an image's output, for pairs of channel blocks.
  void compute(std::int64_t image, const PartitionTile& piece, std::int64_t begin, std::int64_t end,
               std::byte* slot) const {
    auto* groups = reinterpret_cast<TiledPixels*>(slot + plan_.groups_at);
    auto* strip = reinterpret_cast<std::uint8_t*>(slot + plan_.copy_at);
    functions_.begin(static_cast<std::int32_t>(steps_.pixel_bytes));
    for (std::int64_t first = begin; first < end; first += plan_.strip_pixels) {
      const std::int64_t last = std::min(end, first + plan_.strip_pixels);
      const std::int64_t origin = plan_.copies_whole ? 0 : plan_.rows.copied(first);
      if (!plan_.copies_whole) copy(image, first, last, strip);
      for (std::int64_t call = first; call < last; call += plan_.call_pixels) {
        const std::int64_t count =
            plan_.rows.cut(call, std::min(last, call + plan_.call_pixels), origin, groups);
        for (std::int64_t pair = piece.block_begin; pair < piece.block_end; ++pair) {
          multiply(image, pair, plan_.copies_whole ? shared_ : strip, groups, count, slot);
        }
      }
    }
    functions_.end();
  }

  void resolve(PendingTies& list) const { list.resolve(conv_, plan_.image_bytes != 0); }

 private:
  void multiply(std::int64_t image, std::int64_t pair, const std::uint8_t* pixels,
                const TiledPixels* groups, std::int64_t count, std::byte* slot) const {
    const std::int64_t blocks = int8_blocks(sizes_.channels_out);
    const std::int64_t block = pair * 2;
    const std::int64_t plane = volume(sizes_.out) * int8_block;
    NchwcTiledProduct product = {};
    product.pixels = pixels;
    product.offsets = offsets_;
    product.steps = steps_.count();
    product.pixel_bytes = static_cast<std::int32_t>(steps_.pixel_bytes);
    product.weights = conv_.packed + block * steps_.count() * steps_.pixel_bytes * int8_block;
    conv_.set_epilogue(product.epilogue, block);
    product.groups = groups;
    product.group_count = count;
    product.out = conv_.y + (image * blocks + block) * plane;
    product.out_stride = plane;
    product.vectors = block + 1 < blocks ? 2 : 1;
    product.ties = reinterpret_cast<RoundingTie*>(slot + plan_.ties_at);
    const std::int64_t found = functions_.multiply(product);
    if (conv_.params.floats == nullptr) return;
    auto& list = *reinterpret_cast<PendingTies*>(slot);
    for (std::int64_t i = 0; i < found; ++i) {
      const auto [channel, pixel] = product.ties[i];
      list.add(conv_, plan_.image_bytes != 0,
               {image, channel + static_cast<std::int32_t>(block * int8_block), pixel});
    }
  }

  /// Copies the input that output pixels [first, end) read.
  void copy(std::int64_t image, std::int64_t first, std::int64_t end, std::uint8_t* out) const {
    if (plan_.image_bytes != 0) return copy_windows(first, end, out);
    copy_span(image, plan_.rows.copied(first), plan_.rows.span(first, end), out);
  }

  void copy_span(std::int64_t image, std::int64_t first, std::int64_t count,
                 std::uint8_t* out) const {
    const std::int64_t width = plan_.rows.width();
    for (std::int64_t part = 0; part < steps_.parts[0] * steps_.parts[1]; ++part) {
      std::uint8_t* plane = out + part * steps_.chunks * plan_.plane_bytes();
      std::int64_t row = first / width;
      std::int64_t column = first % width;
      for (std::int64_t done = 0; done < count; ++row, column = 0) {
        const std::int64_t pixels = std::min(width - column, count - done);
        copy_row(image, part, row, column, pixels, plane + done * steps_.pixel_bytes);
        done += pixels;
      }
    }
  }

  /// Copies columns [begin, begin + count) of a row of a part, for all chunks.
  void copy_row(std::int64_t image, std::int64_t part, std::int64_t row, std::int64_t begin,
                std::int64_t count, std::uint8_t* out) const {
    const std::int64_t blocks = int8_blocks(sizes_.channels_in);
    const std::int64_t plane = sizes_.in[1] * sizes_.in[2] * int8_block;
    const std::int64_t step = sizes_.stride[2];
    const std::int64_t from_row = row * sizes_.stride[1] + part / steps_.parts[1] - sizes_.pad[1];
    const std::int64_t from_column = begin * step + part % steps_.parts[1] - sizes_.pad[2];
    // The first column that reads at or past `bound`.
    const auto reaches = [&](std::int64_t bound) {
      const std::int64_t missing = bound - from_column;
      return missing <= 0 ? 0 : std::min(count, (missing + step - 1) / step);
    };
    const bool has_row = from_row >= 0 && from_row < sizes_.in[1];
    TiledRowCopy copy = {};
    copy.before = has_row ? reaches(0) : count;
    copy.inside = has_row ? reaches(sizes_.in[2]) - copy.before : 0;
    copy.behind = count - copy.before - copy.inside;
    if (copy.inside > 0) {
      copy.in = conv_.x + image * blocks * plane +
                (from_row * sizes_.in[2] + from_column + copy.before * step) * int8_block;
    }
    copy.in_stride = plane;
    copy.pixel_step = step * int8_block;
    copy.blocks = blocks;
    copy.pixel_bytes = steps_.pixel_bytes;
    copy.flip = conv_.desc.image_flip;
    copy.fill = static_cast<std::uint8_t>(conv_.params.image_zero);
    copy.out = out;
    copy.out_stride = plan_.plane_bytes();
    functions_.copy(copy);
  }

  /// From NCHW: copies everything that a window reads, in units of four columns of four channels
  /// each. Units past the window have no weights.
  void copy_windows(std::int64_t first, std::int64_t end, std::uint8_t* out) const {
    for (std::int64_t unit = 0; unit < steps_.units; unit += steps_.chunk_units()) {
      std::uint8_t* to = out + unit / steps_.chunk_units() * plan_.plane_bytes();
      switch (std::min(steps_.chunk_units(), steps_.units - unit)) {
        case 1:
          copy_units<1>(first, end, unit, to);
          break;
        case 2:
          copy_units<2>(first, end, unit, to);
          break;
        case 3:
          copy_units<3>(first, end, unit, to);
          break;
        default:
          copy_units<4>(first, end, unit, to);
      }
    }
  }

  template <int units>
  void copy_units(std::int64_t first, std::int64_t end, std::int64_t unit, std::uint8_t* to) const {
    const std::int64_t row_units = (sizes_.kernel[2] + 3) / 4;
    const std::int64_t width = PixelCopy(sizes_).columns;
    std::int64_t offsets[std::size_t{units}];
    for (std::int64_t i = 0; i < units; ++i) {
      offsets[i] =
          ((unit + i) / row_units * sizes_.dilation[1] * width + (unit + i) % row_units * 4) * 4;
    }
    const std::int64_t step = sizes_.stride[2] * 4;
    std::int64_t row = first / sizes_.out[2];
    std::int64_t column = first % sizes_.out[2];
    for (std::int64_t pixel = first; pixel < end; ++row, column = 0) {
      const std::int64_t count = std::min(sizes_.out[2] - column, end - pixel);
      const std::uint8_t* from = image_copy_ + row * sizes_.stride[1] * width * 4 + column * step;
      for (std::int64_t i = 0; i < count; ++i, from += step, to += steps_.pixel_bytes) {
        for (int k = 0; k < units; ++k)
          std::memcpy(to + k * int8_block, from + offsets[k], int8_block);
      }
      pixel += count;
    }
  }

  const NchwcInt8Conv& conv_;
  const ConvSizes& sizes_;
  const NchwcTiledFunctions& functions_;
  const TiledPlan& plan_;
  const TiledSteps& steps_;
  const std::uint8_t* image_copy_;
  std::int64_t* offsets_;
  std::uint8_t* shared_;
};

}  // namespace

std::int64_t dense_tiled_workspace_bytes(const ConvSizes& sizes, bool from_nchw, int threads) {
  const TiledPlan plan(sizes, from_nchw);
  return plan.slots_at + plan.slot_bytes * std::max(threads, 1);
}

void convolve_dense_tiled(const NchwcInt8Conv& conv, const NchwcTiledFunctions& functions,
                          bool from_nchw, void* workspace, Workers& workers) {
  const ConvSizes& sizes = conv.sizes;
  const TiledPlan plan(sizes, from_nchw);
  auto* space = static_cast<std::byte*>(workspace);
  WorkspaceSlots slots(space + plan.slots_at, plan.slot_bytes, workers.count());
  const TiledInt8Conv tiled(conv, functions, plan, space);
  const auto list = [&](std::int64_t slot) -> PendingTies& {
    return *reinterpret_cast<PendingTies*>(space + plan.slots_at + slot * plan.slot_bytes);
  };
  for (int slot = 0; slot < workers.count(); ++slot) list(slot).count = 0;
  const std::int64_t pixels = volume(sizes.out);
  const std::int64_t runs = (pixels + max_tiled_pixels - 1) / max_tiled_pixels;
  const std::int64_t pairs = (int8_blocks(sizes.channels_out) + 1) / 2;
  const double run_ns =
      static_cast<double>(pairs) * (100.0 + 25.0 * static_cast<double>(plan.steps.count()));
  const auto compute = [&](std::int64_t first_image, std::int64_t images) {
    const SpatialPartition cut(images, runs, pairs,
                               cuts_channels_by_rows(sizes.channels_out, pixels),
                               static_cast<double>(images * runs) * run_ns);
    cut.run(workers, [&](const PartitionTile& piece) {
      const WorkspaceSlots::Lease lease(slots);
      tiled.compute(first_image + piece.image, piece, piece.row_begin * max_tiled_pixels,
                    std::min(piece.row_end * max_tiled_pixels, pixels), lease.data());
    });
  };
  const auto resolve = [&] {
    // A few ties are resolved faster on this thread than by waking others.
    constexpr std::int64_t few = 2 * tie_lanes;
    std::int64_t waiting = 0;
    for (int slot = 0; slot < workers.count(); ++slot) waiting += list(slot).count;
    if (waiting > few) {
      workers.parallel_for(workers.count(), [&](std::int64_t slot) { tiled.resolve(list(slot)); });
    } else if (waiting > 0) {
      for (int slot = 1; slot < workers.count(); ++slot) list(0).take(list(slot));
      tiled.resolve(list(0));
    }
  };
  if (plan.copies_whole) {
    const std::int64_t rows = sizes.out[1] + plan.steps.reach[0];
    const double copy_ns = 0.05 * static_cast<double>(plan.plane_bytes() * plan.steps.planes());
    workers.parallel_ranges(
        rows, grain_size(rows, copy_ns),
        [&](std::int64_t begin, std::int64_t end) { tiled.copy_shared(0, begin, end); });
  }
  if (!from_nchw) {
    compute(0, sizes.batch);
    return resolve();
  }
  const PixelCopy copy(sizes);
  constexpr std::int64_t rows_together = 16;
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    workers.parallel_ranges(copy.rows, rows_together, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        copy.fill_row(conv, image, row, static_cast<std::uint8_t*>(workspace));
    });
    compute(image, 1);
    resolve();
  }
}

}  // namespace ortool::cpu
