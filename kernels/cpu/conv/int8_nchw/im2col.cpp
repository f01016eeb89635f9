// im2col of int8 pixels, one run of adjacent output pixels at a time.
#include <algorithm>

#include "kernels/cpu/conv/int8_nchw/algorithms.hpp"

namespace ortool::cpu {
namespace {

/// Output pixels of one row that are adjacent in the panel.
struct PixelRun {
  std::int64_t lane = 0;
  std::int64_t count = 0;
  std::int64_t depth = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

class WindowPacker {
 public:
  WindowPacker(const ConvSizes& sizes, const std::uint8_t* image, std::uint8_t fill,
               const Int8PackDesc& desc, std::int64_t width)
      : sizes_(sizes),
        image_(image),
        fill_byte_(fill),
        fill_(splat_byte(fill, desc)),
        desc_(desc),
        width_(width),
        channels_(sizes.channels_in / sizes.groups),
        channel_stride_(volume(sizes.in)) {}

  /// Packs the inputs of one run for all kernel positions and channels.
  void pack(const PixelRun& run, std::int32_t* out) const {
    if (channels_ == 1) return pack_taps(run, out);
    for (std::int64_t depth = 0; depth < sizes_.kernel[0]; ++depth) {
      for (std::int64_t row = 0; row < sizes_.kernel[1]; ++row) {
        for (std::int64_t column = 0; column < sizes_.kernel[2]; ++column) {
          const std::int64_t at[3] = {depth * sizes_.dilation[0], row * sizes_.dilation[1],
                                      column * sizes_.dilation[2]};
          pack_position(run, at, out + run.lane);
          out += desc_.steps(channels_) * width_;
        }
      }
    }
  }

 private:
  /// Packs quads of adjacent taps of a kernel row.
  void pack_taps(const PixelRun& run, std::int32_t* out) const {
    for (std::int64_t depth = 0; depth < sizes_.kernel[0]; ++depth) {
      for (std::int64_t row = 0; row < sizes_.kernel[1]; ++row) {
        const std::int64_t z =
            run.depth * sizes_.stride[0] - sizes_.pad[0] + depth * sizes_.dilation[0];
        const std::int64_t y =
            run.row * sizes_.stride[1] - sizes_.pad[1] + row * sizes_.dilation[1];
        const bool is_inside = z >= 0 && z < sizes_.in[0] && y >= 0 && y < sizes_.in[1];
        const std::uint8_t* line =
            is_inside ? image_ + (z * sizes_.in[1] + y) * sizes_.in[2] : nullptr;
        for (std::int64_t tap = 0; tap < sizes_.kernel[2]; tap += desc_.group) {
          pack_word(run, line, tap, out + run.lane);
          out += width_;
        }
      }
    }
  }

  /// Packs the quad that starts at `tap`, for all lanes; `line` is null outside the image.
  void pack_word(const PixelRun& run, const std::uint8_t* line, std::int64_t tap,
                 std::int32_t* out) const {
    if (line == nullptr) return std::fill(out, out + run.count, fill_);
    const std::int64_t step = sizes_.stride[2];
    const std::int64_t start = run.column * step - sizes_.pad[2];
    std::int64_t taps[4];
    // Taps past the kernel have zero weights, so any pixel will do.
    for (std::int64_t i = 0; i < 4; ++i)
      taps[i] = start + std::min(tap + i, sizes_.kernel[2] - 1) * sizes_.dilation[2];
    // For lanes [begin, end), all taps are inside the input row.
    const std::int64_t begin = taps[0] >= 0 ? 0 : std::min(run.count, (-taps[0] + step - 1) / step);
    const std::int64_t room = sizes_.in[2] - taps[desc_.group - 1];
    const std::int64_t end =
        std::max(begin, room <= 0 ? 0 : std::min(run.count, (room + step - 1) / step));
    const auto pack_lane = [&](std::int64_t lane) {
      std::uint8_t bytes[4];
      const std::uint8_t* rows[4];
      for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t x = taps[i] + lane * step;
        bytes[i] = x >= 0 && x < sizes_.in[2] ? line[x] : fill_byte_;
        rows[i] = bytes + i;
      }
      interleave_bytes(rows, 1, 1, desc_, out + lane);
    };
    for (std::int64_t lane = 0; lane < begin; ++lane) pack_lane(lane);
    if (begin < end) {
      const std::uint8_t* rows[4];
      for (std::int64_t i = 0; i < 4; ++i)
        rows[i] = line + taps[std::min<std::int64_t>(i, desc_.group - 1)] + begin * step;
      interleave_bytes(rows, step, end - begin, desc_, out + begin);
    }
    for (std::int64_t lane = end; lane < run.count; ++lane) pack_lane(lane);
  }

  void pack_position(const PixelRun& run, const std::int64_t (&at)[3], std::int32_t* out) const {
    const std::int64_t depth = run.depth * sizes_.stride[0] - sizes_.pad[0] + at[0];
    const std::int64_t row = run.row * sizes_.stride[1] - sizes_.pad[1] + at[1];
    const std::int64_t step = sizes_.stride[2];
    const std::int64_t start = run.column * step - sizes_.pad[2] + at[2];
    const bool inside = depth >= 0 && depth < sizes_.in[0] && row >= 0 && row < sizes_.in[1];
    // Lanes [begin, end) of the run read inside the input row.
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (inside) {
      begin = start >= 0 ? 0 : std::min(run.count, (-start + step - 1) / step);
      const std::int64_t room = sizes_.in[2] - start;
      end = room <= 0 ? 0 : std::min(run.count, (room + step - 1) / step);
      end = std::max(begin, end);
    }
    const std::int64_t offset = (depth * sizes_.in[1] + row) * sizes_.in[2] + start + begin * step;
    for (std::int64_t channel = 0; channel < channels_; channel += desc_.group) {
      std::fill(out, out + begin, fill_);
      if (begin < end) {
        const std::uint8_t* rows[4];
        for (std::int64_t i = 0; i < 4; ++i) {
          // Channels past the last have zero weights, so any channel will do.
          const std::int64_t read = std::min(channel + i, channels_ - 1);
          rows[i] = image_ + read * channel_stride_ + offset;
        }
        interleave_bytes(rows, step, end - begin, desc_, out + begin);
      }
      std::fill(out + end, out + run.count, fill_);
      out += width_;
    }
  }

  const ConvSizes& sizes_;
  const std::uint8_t* image_;
  std::uint8_t fill_byte_;
  std::int32_t fill_;
  Int8PackDesc desc_;
  std::int64_t width_;
  std::int64_t channels_;
  std::int64_t channel_stride_;
};

}  // namespace

void pack_int8_windows(const ConvSizes& sizes, const std::uint8_t* group_image, std::uint8_t fill,
                       const Int8PackDesc& desc, std::int64_t first, std::int64_t columns,
                       std::int64_t width, std::int32_t* out) {
  const std::int64_t channels = sizes.channels_in / sizes.groups;
  if (desc.pairs_steps && !is_pointwise(sizes)) {
    Int8PackDesc single = desc;
    single.pairs_steps = false;
    pack_int8_windows(sizes, group_image, fill, single, first, columns, width, out);
    const Int8Depth depth = byte_depth(sizes);
    const std::int64_t words = single.steps(depth.members) * depth.positions;
    if (words % 2 != 0) std::fill_n(out + words * width, width, 0);
    return pair_steps(words + words % 2, width, out);
  }
  if (is_pointwise(sizes)) {
    pack_int8_columns(group_image + first, volume(sizes.in), columns, width, channels, desc, out);
    return;
  }
  if (columns < width) {
    const Int8Depth depth = byte_depth(sizes);
    const std::int64_t steps = desc.steps(depth.members) * depth.positions;
    for (std::int64_t step = 0; step < steps; ++step)
      std::fill(out + step * width + columns, out + (step + 1) * width, 0);
  }
  const WindowPacker packer(sizes, group_image, fill, desc, width);
  PixelRun run;
  for (std::int64_t lane = 0; lane < columns; lane += run.count) {
    const std::int64_t pixel = first + lane;
    run.lane = lane;
    run.column = pixel % sizes.out[2];
    run.row = pixel / sizes.out[2] % sizes.out[1];
    run.depth = pixel / sizes.out[2] / sizes.out[1];
    run.count = std::min(columns - lane, sizes.out[2] - run.column);
    packer.pack(run, out);
  }
}

}  // namespace ortool::cpu
