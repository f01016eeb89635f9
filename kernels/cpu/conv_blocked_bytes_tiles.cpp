// Dense convolution of blocked bytes in tiles (AMX): strips of the image are copied so that a
// pixel's channels lie together, and every tap of a window then is the same copy a few pixels on.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv_blocked_bytes_paths.hpp"
#include "kernels/cpu/conv_blocked_bytes_pixels.hpp"
#include "kernels/cpu/image_cut.hpp"
#include "kernels/cpu/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t most_chunk_blocks = 4;
constexpr std::int64_t tile_channels = 2 * byte_block;
/// Bytes of a strip's copy, which stays in the second cache, and of what a call reads of it.
constexpr std::int64_t strip_bytes = std::int64_t{192} << 10U;
constexpr std::int64_t call_bytes = std::int64_t{24} << 10U;
constexpr std::int64_t most_call_groups = 16;
constexpr std::int64_t more_doubts = 512;

/// How a convolution reads copied pixels. A step of its sums is a chunk of up to 64 bytes of a
/// pixel at a tap. With strides, pixels of each remainder lie in a part of their own, so that
/// neighbours in the result are neighbours in the copy. Rows of the copy are those of the result
/// and what the last window reads beyond.
struct TiledSteps {
  std::int64_t units;   ///< of 16 bytes, of a pixel
  std::int64_t chunks;  ///< of a pixel
  std::int64_t pixel_bytes;
  std::int64_t parts[2] = {1, 1};  ///< down, across
  std::int64_t reach[2] = {0, 0};  ///< pixels beyond, in a part
  std::int64_t taps = 1;

  TiledSteps(const ConvSizes& sizes, bool from_plain)
      : units(from_plain ? dense_byte_steps(sizes, true) : byte_blocks(sizes.channels_in)),
        chunks((units + most_chunk_blocks - 1) / most_chunk_blocks),
        pixel_bytes(byte_block * (units <= 2 ? units : most_chunk_blocks)) {
    if (from_plain) return;
    taps = volume(sizes.kernel);
    for (int axis = 0; axis < 2; ++axis) {
      const std::int64_t last = (sizes.kernel[axis + 1] - 1) * sizes.dilation[axis + 1];
      parts[axis] = std::min(sizes.stride[axis + 1], last + 1);
      reach[axis] = last / sizes.stride[axis + 1];
    }
  }

  std::int64_t count() const { return taps * chunks; }
  /// Of 16 bytes; of a chunk the last may be none.
  std::int64_t chunk_units() const { return pixel_bytes / byte_block; }
  std::int64_t planes() const { return parts[0] * parts[1] * chunks; }
};

/// What a strip needs: the copy, where its steps read, and its groups of pixels.
class TiledStrips {
 public:
  TiledStrips(const ConvSizes& sizes, bool from_plain)
      : steps(sizes, from_plain),
        columns_(sizes.out[2]),
        width_(sizes.out[2] + steps.reach[1]),
        halo_(steps.reach[0] * width_ + steps.reach[1]) {
    const std::int64_t row_bytes = steps.planes() * steps.pixel_bytes;
    const std::int64_t all = (volume(sizes.out) + most_tiled_pixels - 1) / most_tiled_pixels;
    groups = std::clamp<std::int64_t>((strip_bytes / row_bytes - halo_) / most_tiled_pixels,
                                      std::min(all, most_call_groups), all);
    call_groups =
        std::clamp<std::int64_t>(call_bytes / (row_bytes * most_tiled_pixels), 2, most_call_groups);
    const std::int64_t pixels = groups * most_tiled_pixels;
    // Rows that are begun and ended are two more than whole ones. An odd number of lines keeps the
    // planes apart in the caches.
    room_ = pixels + (pixels / columns_ + 2) * steps.reach[1] + halo_ + most_tiled_pixels;
    room_ = (room_ + 31) / 64 * 64 + 33;
  }

  /// Copied pixels of a plane, for a whole strip.
  std::int64_t room() const { return room_; }
  /// Groups that a strip may be cut into: rows that end within one make it shorter.
  std::int64_t most_groups() const { return room_ / most_tiled_pixels + 1; }
  std::int64_t copy_bytes() const { return steps.planes() * room_ * steps.pixel_bytes; }
  /// Copied pixels that pixels [first, end) of the result need, from copied(first) on.
  std::int64_t span(std::int64_t first, std::int64_t end) const {
    return copied(end - 1) + 1 - copied(first) + halo_;
  }
  /// Where a pixel of the result begins to read, in pixels of a part.
  std::int64_t copied(std::int64_t pixel) const {
    return pixel / columns_ * width_ + pixel % columns_;
  }
  std::int64_t width() const { return width_; }

  /// Bytes from a plane's first pixel to where a step reads for the first pixel.
  std::int64_t offset(const ConvSizes& sizes, std::int64_t step) const {
    const std::int64_t tap = step / steps.chunks;
    const std::int64_t down = tap / sizes.kernel[2] * sizes.dilation[1];
    const std::int64_t across = tap % sizes.kernel[2] * sizes.dilation[2];
    const std::int64_t part = down % sizes.stride[1] * steps.parts[1] + across % sizes.stride[2];
    const std::int64_t pixel = down / sizes.stride[1] * width_ + across / sizes.stride[2];
    return ((part * steps.chunks + step % steps.chunks) * room_ + pixel) * steps.pixel_bytes;
  }

  /// Cuts pixels [first, end) of the result into groups; returns how many.
  std::int64_t cut(std::int64_t first, std::int64_t end, TiledPixels* to) const {
    std::int64_t column = first % columns_;
    std::int64_t place = 0;  // of the next pixel
    TiledPixels* group = to;
    for (std::int64_t pixel = first; pixel < end; ++group) {
      *group = {place, pixel, 0, {}};
      for (; pixel < end && place - group->start < most_tiled_pixels; ++pixel) {
        group->places[group->count++] =
            static_cast<std::uint16_t>((place - group->start) * tiled_place_unit);
        const bool is_last = ++column == columns_;
        place += is_last ? 1 + width_ - columns_ : 1;
        if (is_last) column = 0;
      }
    }
    return group - to;
  }

  const TiledSteps steps;
  std::int64_t groups;       ///< of pixels, of a strip
  std::int64_t call_groups;  ///< of those, multiplied by all weights before the next ones

 private:
  std::int64_t columns_;
  std::int64_t width_;
  std::int64_t halo_;
  std::int64_t room_;
};

/// A thread's part of the workspace.
struct TiledSlot {
  std::int64_t doubt_count;
  std::int64_t groups_at;
  std::int64_t offsets_at;
  std::int64_t copy_at;
  std::int64_t bytes;

  explicit TiledSlot(const TiledStrips& strips)
      : doubt_count(strips.call_groups * most_tiled_pixels * tile_channels + more_doubts),
        groups_at(whole_lines(doubt_count * static_cast<std::int64_t>(sizeof(ByteDoubt)))),
        offsets_at(groups_at + whole_lines(strips.most_groups() *
                                           static_cast<std::int64_t>(sizeof(TiledPixels)))),
        copy_at(offsets_at + whole_lines(strips.steps.count() *
                                         static_cast<std::int64_t>(sizeof(std::int64_t)))),
        bytes(copy_at + whole_lines(strips.copy_bytes())) {}
};

class TiledByteConv {
 public:
  TiledByteConv(const BlockedByteConv& conv, const TiledByteFunctions& functions,
                const TiledStrips& strips, const std::uint8_t* pixel_copy)
      : conv_(conv),
        sizes_(conv.sizes),
        functions_(functions),
        strips_(strips),
        steps_(strips.steps),
        slot_(strips),
        pixel_copy_(pixel_copy) {
    std::memset(pad_, conv.fill(), sizeof pad_);
  }

  /// Pixels [begin, end) of an image's result by pairs of blocks of channels.
  void compute(std::int64_t image, std::int64_t begin, std::int64_t end, std::int64_t pair_begin,
               std::int64_t pair_end, std::byte* space) const {
    const Slot slot = take(space);
    functions_.begin(static_cast<std::int32_t>(steps_.pixel_bytes));
    std::int64_t doubts = 0;
    const std::int64_t strip = strips_.groups * most_tiled_pixels;
    for (std::int64_t first = begin; first < end; first += strip) {
      const std::int64_t last = std::min(end, first + strip);
      copy(image, first, last, slot.copy);
      const std::int64_t groups = strips_.cut(first, last, slot.groups);
      for (std::int64_t group = 0; group < groups; group += strips_.call_groups) {
        const std::int64_t count = std::min(strips_.call_groups, groups - group);
        for (std::int64_t pair = pair_begin; pair < pair_end; ++pair) {
          doubts += multiply(image, pair, slot, slot.groups + group, count, doubts);
          if (doubts <= more_doubts) continue;
          settle(image, slot.doubts, doubts);
          doubts = 0;
        }
      }
    }
    functions_.end();
    settle(image, slot.doubts, doubts);
  }

 private:
  struct Slot {
    ByteDoubt* doubts;
    TiledPixels* groups;
    std::int64_t* offsets;
    std::uint8_t* copy;
  };

  Slot take(std::byte* space) const {
    const Slot slot = {reinterpret_cast<ByteDoubt*>(space),
                       reinterpret_cast<TiledPixels*>(space + slot_.groups_at),
                       reinterpret_cast<std::int64_t*>(space + slot_.offsets_at),
                       reinterpret_cast<std::uint8_t*>(space + slot_.copy_at)};
    for (std::int64_t step = 0; step < steps_.count(); ++step)
      slot.offsets[step] = strips_.offset(sizes_, step);
    return slot;
  }

  std::int64_t multiply(std::int64_t image, std::int64_t pair, const Slot& slot,
                        const TiledPixels* groups, std::int64_t count, std::int64_t doubts) const {
    const std::int64_t blocks = byte_blocks(sizes_.channels_out);
    const std::int64_t block = pair * 2;
    const std::int64_t plane = volume(sizes_.out) * byte_block;
    TiledByteProduct product = {};
    product.pixels = slot.copy;
    product.offsets = slot.offsets;
    product.steps = steps_.count();
    product.pixel_bytes = static_cast<std::int32_t>(steps_.pixel_bytes);
    product.weights = conv_.packed + block * steps_.count() * steps_.pixel_bytes * byte_block;
    product.finish = conv_.finish(block);
    product.groups = groups;
    product.group_count = count;
    product.out = conv_.y + (image * blocks + block) * plane;
    product.out_stride = plane;
    product.vectors = block + 1 < blocks ? 2 : 1;
    product.doubts = slot.doubts + doubts;
    const std::int64_t found = functions_.multiply(product);
    if (conv_.numbers.floats == nullptr) return 0;
    for (std::int64_t i = 0; i < found; ++i)
      product.doubts[i].channel += static_cast<std::int32_t>(block * byte_block);
    return found;
  }

  void settle(std::int64_t image, const ByteDoubt* doubts, std::int64_t count) const {
    const std::int64_t blocks = byte_blocks(sizes_.channels_out);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto [channel, pixel] = doubts[i];
      const std::int64_t at = (image * blocks + channel / byte_block) * volume(sizes_.out) + pixel;
      conv_.y[at * byte_block + channel % byte_block] = conv_.settler.decide(image, channel, pixel);
    }
  }

  void copy(std::int64_t image, std::int64_t first, std::int64_t end, std::uint8_t* out) const {
    if (pixel_copy_ != nullptr) return copy_windows(first, end, out);
    const std::int64_t origin = strips_.copied(first);
    const std::int64_t span = strips_.span(first, end);
    for (std::int64_t part = 0; part < steps_.parts[0] * steps_.parts[1]; ++part) {
      for (std::int64_t place = origin; place < origin + span;) {
        const std::int64_t row = place / strips_.width();
        const std::int64_t column = place % strips_.width();
        const std::int64_t count = std::min(strips_.width() - column, origin + span - place);
        copy_row(
            image, part, row, column, count,
            out + (part * steps_.chunks * strips_.room() + place - origin) * steps_.pixel_bytes);
        place += count;
      }
    }
  }

  /// Columns [begin, begin + count) of a row of a part, all chunks.
  void copy_row(std::int64_t image, std::int64_t part, std::int64_t row, std::int64_t begin,
                std::int64_t count, std::uint8_t* out) const {
    const std::int64_t blocks = byte_blocks(sizes_.channels_in);
    const std::int64_t plane = sizes_.in[1] * sizes_.in[2] * byte_block;
    const std::int64_t from_row = row * sizes_.stride[1] + part / steps_.parts[1] - sizes_.pad[1];
    const std::int64_t shift = part % steps_.parts[1] - sizes_.pad[2];
    const std::int64_t step = sizes_.stride[2];
    // Columns of the image are begin * step + shift and so on; inside are [inner, outer).
    const bool has_row = from_row >= 0 && from_row < sizes_.in[1];
    const auto first_from = [&](std::int64_t bound) {
      return std::clamp<std::int64_t>((bound - shift + step - 1) / step - begin, 0, count);
    };
    const std::int64_t inner = has_row ? first_from(0) : count;
    const std::int64_t outer = has_row ? std::max(inner, first_from(sizes_.in[2])) : count;
    TiledPixelCopy copy = {};
    copy.pixel_bytes = static_cast<std::int32_t>(steps_.pixel_bytes);
    copy.flip = conv_.form.image_flip;
    for (std::int64_t chunk = 0; chunk < steps_.chunks; ++chunk) {
      const std::int64_t block = chunk * steps_.chunk_units();
      copy.blocks = static_cast<std::int32_t>(std::min(steps_.chunk_units(), blocks - block));
      const auto run = [&](const std::uint8_t* in, std::int64_t stride, std::int64_t pixel_step,
                           std::int64_t from, std::int64_t to) {
        copy.in = in;
        copy.in_stride = stride;
        copy.pixel_step = pixel_step;
        copy.pixels = to - from;
        copy.out = out + (chunk * strips_.room() + from) * steps_.pixel_bytes;
        if (from < to) functions_.copy(copy);
      };
      run(pad_, 0, 0, 0, inner);
      run(conv_.x + (image * blocks + block) * plane +
              (from_row * sizes_.in[2] + (begin + inner) * step + shift) * byte_block,
          plane, step * byte_block, inner, outer);
      run(pad_, 0, 0, outer, count);
    }
  }

  /// Of a plain image: all that a window reads, by four columns of four channels each.
  void copy_windows(std::int64_t first, std::int64_t end, std::uint8_t* out) const {
    const std::int64_t row_units = (sizes_.kernel[2] + 3) / 4;
    const std::int64_t width = PixelCopy(sizes_).columns;
    for (std::int64_t unit = 0; unit < steps_.chunks * steps_.chunk_units(); ++unit) {
      std::uint8_t* to = out + unit / steps_.chunk_units() * strips_.room() * steps_.pixel_bytes +
                         unit % steps_.chunk_units() * byte_block;
      // A unit beyond the window has no weights.
      const std::int64_t tap_row = std::min(unit / row_units, sizes_.kernel[1] - 1);
      for (std::int64_t pixel = first; pixel < end; ++pixel, to += steps_.pixel_bytes) {
        const std::int64_t row =
            pixel / sizes_.out[2] * sizes_.stride[1] + tap_row * sizes_.dilation[1];
        const std::int64_t column = pixel % sizes_.out[2] * sizes_.stride[2] + unit % row_units * 4;
        std::memcpy(to, pixel_copy_ + (row * width + column) * 4, byte_block);
      }
    }
  }

  const BlockedByteConv& conv_;
  const ConvSizes& sizes_;
  const TiledByteFunctions& functions_;
  const TiledStrips& strips_;
  const TiledSteps& steps_;
  TiledSlot slot_;
  const std::uint8_t* pixel_copy_;
  std::uint8_t pad_[byte_block];
};

}  // namespace

std::int64_t packed_tiled_bytes(const ConvSizes& sizes, bool from_plain) {
  const TiledSteps steps(sizes, from_plain);
  return byte_blocks(sizes.channels_out) * steps.count() * steps.pixel_bytes * byte_block;
}

void pack_tiled_bytes(const ConvSizes& sizes, bool from_plain, const std::uint8_t* weights,
                      std::uint8_t flip, std::uint8_t* out) {
  const TiledSteps steps(sizes, from_plain);
  const std::int64_t blocks = byte_blocks(sizes.channels_out);
  const std::int64_t positions = volume(sizes.kernel);
  const auto weight = [&](std::int64_t channel, const ByteSource& source) {
    if (channel >= sizes.channels_out || source.channel >= sizes.channels_in ||
        source.position >= positions)
      return std::uint8_t{0};
    const std::int64_t at =
        (channel * sizes.channels_in + source.channel) * positions + source.position;
    return static_cast<std::uint8_t>(weights[at] ^ flip);
  };
  constexpr ByteSource nothing = {std::int64_t{1} << 60U, 0};
  for (std::int64_t pair = 0; pair < blocks; pair += 2) {
    for (std::int64_t step = 0; step < steps.count(); ++step) {
      for (std::int64_t block = pair; block < std::min(pair + 2, blocks); ++block) {
        for (std::int64_t byte = 0; byte < steps.pixel_bytes; ++byte) {
          const std::int64_t unit = step % steps.chunks * steps.chunk_units() + byte / byte_block;
          const std::int64_t source_step = step / steps.chunks * steps.units + unit;
          const ByteSource source =
              unit < steps.units
                  ? dense_byte_source(sizes, from_plain, source_step, byte % byte_block)
                  : nothing;
          for (std::int64_t i = 0; i < byte_block; ++i)
            out[(byte / 4 * byte_block + i) * 4 + byte % 4] =
                weight(block * byte_block + i, source);
        }
        out += steps.pixel_bytes * byte_block;
      }
    }
  }
}

std::int64_t tiled_bytes_workspace(const ConvSizes& sizes, bool from_plain, int threads) {
  const TiledStrips strips(sizes, from_plain);
  return (from_plain ? PixelCopy(sizes).bytes : 0) + TiledSlot(strips).bytes * std::max(threads, 1);
}

void convolve_tiled_bytes(const BlockedByteConv& conv, const TiledByteFunctions& functions,
                          bool from_plain, void* workspace, Workers& workers) {
  const ConvSizes& sizes = conv.sizes;
  const TiledStrips strips(sizes, from_plain);
  const PixelCopy copy(sizes);
  auto* pixel_copy = from_plain ? static_cast<std::uint8_t*>(workspace) : nullptr;
  auto* space = static_cast<std::byte*>(workspace) + (from_plain ? copy.bytes : 0);
  WorkspaceSlots slots(space, TiledSlot(strips).bytes, workers.count());
  const TiledByteConv tiled(conv, functions, strips, pixel_copy);
  const std::int64_t pixels = volume(sizes.out);
  const std::int64_t runs = (pixels + most_tiled_pixels - 1) / most_tiled_pixels;
  const std::int64_t pairs = (byte_blocks(sizes.channels_out) + 1) / 2;
  const double run_ns =
      static_cast<double>(pairs) * (100.0 + 22.0 * static_cast<double>(strips.steps.count()));
  const auto compute = [&](std::int64_t first_image, std::int64_t images) {
    const ImageCut cut(images, runs, pairs, cuts_channels_by_rows(sizes.channels_out, pixels),
                       static_cast<double>(images * runs) * run_ns);
    cut.run(workers, [&](const ImagePiece& piece) {
      const WorkspaceSlots::Loan loan(slots);
      tiled.compute(first_image + piece.image, piece.row_begin * most_tiled_pixels,
                    std::min(piece.row_end * most_tiled_pixels, pixels), piece.block_begin,
                    piece.block_end, loan.data());
    });
  };
  if (!from_plain) return compute(0, sizes.batch);
  constexpr std::int64_t rows_together = 16;
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    workers.parallel_ranges(copy.rows, rows_together, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) copy.fill_row(conv, image, row, pixel_copy);
    });
    compute(image, 1);
  }
}

}  // namespace ortool::cpu
