// Dense convolution of blocked bytes: runs of output pixels, whose windows are gathered where they
// do not lie in a row already, by pairs of blocks of channels.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv_blocked_bytes_paths.hpp"
#include "kernels/cpu/conv_blocked_bytes_pixels.hpp"
#include "kernels/cpu/image_cut.hpp"
#include "kernels/cpu/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t most_pixels = most_blocked_byte_pixels;
constexpr std::int64_t most_doubt_words = 8;

class WindowGatherer {
 public:
  WindowGatherer(const BlockedByteConv& conv, const std::uint8_t* pixel_copy, std::int64_t columns)
      : conv_(conv), sizes_(conv.sizes), pixel_copy_(pixel_copy), columns_(columns) {
    std::memset(pad_, conv.fill(), sizeof pad_);
  }

  /// The windows of `count` pixels from `first` on: blocks of 16 bytes, each for all pixels.
  void gather(std::int64_t image, std::int64_t first, std::int64_t count, std::uint8_t* out) const {
    std::int64_t rows[most_pixels];
    std::int64_t columns[most_pixels];
    for (std::int64_t i = 0; i < count; ++i) {
      rows[i] = (first + i) / sizes_.out[2] * sizes_.stride[1];
      columns[i] = (first + i) % sizes_.out[2] * sizes_.stride[2];
    }
    if (pixel_copy_ != nullptr) return gather_pixels(rows, columns, count, out);
    std::uint8_t* to = out;
    for (std::int64_t kh = 0; kh < sizes_.kernel[1]; ++kh) {
      for (std::int64_t kw = 0; kw < sizes_.kernel[2]; ++kw) {
        gather_tap(image, rows, columns, count, kh * sizes_.dilation[1] - sizes_.pad[1],
                   kw * sizes_.dilation[2] - sizes_.pad[2], to);
        to += byte_blocks(sizes_.channels_in) * count * byte_block;
      }
    }
    const std::uint8_t flip = conv_.form.image_flip;
    for (std::uint8_t* byte = out; flip != 0 && byte != to; ++byte)
      *byte = static_cast<std::uint8_t>(*byte ^ flip);
  }

 private:
  void gather_pixels(const std::int64_t (&rows)[most_pixels],
                     const std::int64_t (&columns)[most_pixels], std::int64_t count,
                     std::uint8_t* out) const {
    for (std::int64_t kh = 0; kh < sizes_.kernel[1]; ++kh) {
      for (std::int64_t kw = 0; kw < sizes_.kernel[2]; kw += 4) {
        for (std::int64_t i = 0; i < count; ++i, out += byte_block) {
          const std::int64_t at = (rows[i] + kh * sizes_.dilation[1]) * columns_ + columns[i] + kw;
          std::memcpy(out, pixel_copy_ + at * 4, byte_block);
        }
      }
    }
  }

  void gather_tap(std::int64_t image, const std::int64_t (&rows)[most_pixels],
                  const std::int64_t (&columns)[most_pixels], std::int64_t count,
                  std::int64_t row_shift, std::int64_t column_shift, std::uint8_t* out) const {
    const std::int64_t blocks = byte_blocks(sizes_.channels_in);
    const std::int64_t plane = sizes_.in[1] * sizes_.in[2] * byte_block;
    const std::uint8_t* from = conv_.x + image * blocks * plane;
    for (std::int64_t i = 0; i < count; ++i, out += byte_block) {
      const std::int64_t row = rows[i] + row_shift;
      const std::int64_t column = columns[i] + column_shift;
      const bool is_inside = row >= 0 && row < sizes_.in[1] && column >= 0 && column < sizes_.in[2];
      const std::uint8_t* source =
          is_inside ? from + (row * sizes_.in[2] + column) * byte_block : pad_;
      const std::int64_t step = is_inside ? plane : 0;
      std::uint8_t* to = out;
      for (std::int64_t block = 0; block < blocks; ++block) {
        std::memcpy(to, source, byte_block);
        source += step;
        to += count * byte_block;
      }
    }
  }

  const BlockedByteConv& conv_;
  const ConvSizes& sizes_;
  const std::uint8_t* pixel_copy_;
  std::int64_t columns_;
  std::uint8_t pad_[byte_block];
};

/// Whether pixels can be read where they lie.
bool lies_in_place(const ConvSizes& sizes, bool from_plain, const ByteConvForm& form) {
  return !from_plain && is_pointwise(sizes) && form.image_flip == 0;
}

class DenseByteConv {
 public:
  DenseByteConv(const BlockedByteConv& conv, bool from_plain, const WindowGatherer& gatherer)
      : conv_(conv),
        gatherer_(gatherer),
        steps_(dense_byte_steps(conv.sizes, from_plain)),
        blocks_in_(byte_blocks(conv.sizes.channels_in)),
        blocks_out_(byte_blocks(conv.sizes.channels_out)),
        pixels_(volume(conv.sizes.out)),
        is_in_place_(lies_in_place(conv.sizes, from_plain, conv.form)) {}

  /// Pixels [first, first + count) of the image by pairs of blocks of channels.
  void compute(std::int64_t image, std::int64_t first, std::int64_t count, std::int64_t pair_begin,
               std::int64_t pair_end, std::uint8_t* panel) const {
    std::uint64_t doubts[most_doubt_words];
    BlockedByteTile tile = {};
    tile.blocks = steps_;
    tile.pixels = static_cast<std::int32_t>(count);
    tile.doubts = doubts;
    tile.out_stride = pixels_ * byte_block;
    if (is_in_place_) {
      tile.in = conv_.x + (image * blocks_in_ * pixels_ + first) * byte_block;
      tile.in_stride = pixels_ * byte_block;
    } else {
      gatherer_.gather(image, first, count, panel);
      tile.in = panel;
      tile.in_stride = count * byte_block;
    }
    for (std::int64_t block = pair_begin * 2; block < std::min(pair_end * 2, blocks_out_);
         block += 2) {
      tile.weights = conv_.packed + block * steps_ * byte_block * byte_block;
      tile.vectors = block + 1 < blocks_out_ ? 2 : 1;
      tile.finish = conv_.finish(block);
      tile.out = conv_.y + ((image * blocks_out_ + block) * pixels_ + first) * byte_block;
      if (!conv_.functions.tile(tile)) continue;
      for (std::int64_t i = 0; i < tile.vectors; ++i)
        settle_doubts(conv_, image, block + i, first, count, doubts + i * 4);
    }
  }

 private:
  const BlockedByteConv& conv_;
  const WindowGatherer& gatherer_;
  std::int64_t steps_;
  std::int64_t blocks_in_;
  std::int64_t blocks_out_;
  std::int64_t pixels_;
  bool is_in_place_;
};

}  // namespace

std::int64_t dense_byte_steps(const ConvSizes& sizes, bool from_plain) {
  return from_plain ? sizes.kernel[1] * ((sizes.kernel[2] + 3) / 4)
                    : volume(sizes.kernel) * byte_blocks(sizes.channels_in);
}

std::int64_t dense_bytes_workspace(const ConvSizes& sizes, bool from_plain, int threads) {
  const std::int64_t panel = dense_byte_steps(sizes, from_plain) * most_pixels * byte_block;
  return (from_plain ? PixelCopy(sizes).bytes : 0) + whole_lines(panel) * std::max(threads, 1);
}

void convolve_dense_bytes(const BlockedByteConv& conv, bool from_plain, void* workspace,
                          Workers& workers) {
  const ConvSizes& sizes = conv.sizes;
  const std::int64_t pixels = volume(sizes.out);
  const std::int64_t runs = (pixels + most_pixels - 1) / most_pixels;
  const std::int64_t pairs = (byte_blocks(sizes.channels_out) + 1) / 2;
  const std::int64_t steps = dense_byte_steps(sizes, from_plain);
  const PixelCopy copy(sizes);
  auto* pixel_copy = from_plain ? static_cast<std::uint8_t*>(workspace) : nullptr;
  auto* panels = static_cast<std::byte*>(workspace) + (from_plain ? copy.bytes : 0);
  WorkspaceSlots slots(panels, whole_lines(steps * most_pixels * byte_block), workers.count());
  const WindowGatherer gatherer(conv, pixel_copy, copy.columns);
  const DenseByteConv dense(conv, from_plain, gatherer);
  const double run_ns = static_cast<double>(pairs) * (15.0 + 20.0 * static_cast<double>(steps));
  const auto compute = [&](std::int64_t first_image, std::int64_t images) {
    const ImageCut cut(images, runs, pairs, cuts_channels_by_rows(sizes.channels_out, pixels),
                       static_cast<double>(images * runs) * run_ns);
    cut.run(workers, [&](const ImagePiece& piece) {
      const WorkspaceSlots::Loan loan(slots);
      for (std::int64_t run = piece.row_begin; run < piece.row_end; ++run) {
        const std::int64_t first = pixels * run / runs;
        dense.compute(first_image + piece.image, first, pixels * (run + 1) / runs - first,
                      piece.block_begin, piece.block_end,
                      reinterpret_cast<std::uint8_t*>(loan.data()));
      }
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
