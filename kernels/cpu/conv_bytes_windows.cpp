// Packing the byte pixels under a convolution's kernel: runs of one output row at a time.
#include <algorithm>

#include "kernels/cpu/conv_bytes_paths.hpp"

namespace ortool::cpu {
namespace {

/// Output pixels of one row that are neighbours in the panel.
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
               const ByteForm& form, std::int64_t width)
      : sizes_(sizes),
        image_(image),
        fill_(splat_byte(fill, form)),
        form_(form),
        width_(width),
        channels_(sizes.channels_in / sizes.groups),
        channel_stride_(volume(sizes.in)) {}

  /// What one run sees at all kernel positions and channels.
  void pack(const PixelRun& run, std::int32_t* out) const {
    for (std::int64_t depth = 0; depth < sizes_.kernel[0]; ++depth) {
      for (std::int64_t row = 0; row < sizes_.kernel[1]; ++row) {
        for (std::int64_t column = 0; column < sizes_.kernel[2]; ++column) {
          const std::int64_t at[3] = {depth * sizes_.dilation[0], row * sizes_.dilation[1],
                                      column * sizes_.dilation[2]};
          pack_position(run, at, out + run.lane);
          out += form_.steps(channels_) * width_;
        }
      }
    }
  }

 private:
  void pack_position(const PixelRun& run, const std::int64_t (&at)[3], std::int32_t* out) const {
    const std::int64_t depth = run.depth * sizes_.stride[0] - sizes_.pad[0] + at[0];
    const std::int64_t row = run.row * sizes_.stride[1] - sizes_.pad[1] + at[1];
    const std::int64_t step = sizes_.stride[2];
    const std::int64_t start = run.column * step - sizes_.pad[2] + at[2];
    const bool inside = depth >= 0 && depth < sizes_.in[0] && row >= 0 && row < sizes_.in[1];
    // The lanes [begin, end) of the run whose pixel lies in the row.
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (inside) {
      begin = start >= 0 ? 0 : std::min(run.count, (-start + step - 1) / step);
      const std::int64_t room = sizes_.in[2] - start;
      end = room <= 0 ? 0 : std::min(run.count, (room + step - 1) / step);
      end = std::max(begin, end);
    }
    const std::int64_t offset = (depth * sizes_.in[1] + row) * sizes_.in[2] + start + begin * step;
    for (std::int64_t channel = 0; channel < channels_; channel += form_.group) {
      std::fill(out, out + begin, fill_);
      if (begin < end) {
        const std::uint8_t* rows[4];
        for (std::int64_t i = 0; i < 4; ++i) {
          // Weights of channels that are not there are zero.
          const std::int64_t read = std::min(channel + i, channels_ - 1);
          rows[i] = image_ + read * channel_stride_ + offset;
        }
        interleave_bytes(rows, step, end - begin, form_, out + begin);
      }
      std::fill(out + end, out + run.count, fill_);
      out += width_;
    }
  }

  const ConvSizes& sizes_;
  const std::uint8_t* image_;
  std::int32_t fill_;
  ByteForm form_;
  std::int64_t width_;
  std::int64_t channels_;
  std::int64_t channel_stride_;
};

}  // namespace

void pack_byte_windows(const ConvSizes& sizes, const std::uint8_t* group_image, std::uint8_t fill,
                       const ByteForm& form, std::int64_t first, std::int64_t columns,
                       std::int64_t width, std::int32_t* out) {
  const std::int64_t channels = sizes.channels_in / sizes.groups;
  if (is_pointwise(sizes)) {
    pack_byte_columns(group_image + first, volume(sizes.in), columns, width, channels, form, out);
    return;
  }
  if (columns < width) {
    const std::int64_t steps = form.steps(channels) * volume(sizes.kernel);
    for (std::int64_t step = 0; step < steps; ++step)
      std::fill(out + step * width + columns, out + (step + 1) * width, 0);
  }
  const WindowPacker packer(sizes, group_image, fill, form, width);
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
