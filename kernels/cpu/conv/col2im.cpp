// col2im: scatters one row of blocks at a time, for each kernel position.
#include "kernels/cpu/conv/col2im.hpp"

#include "kernels/cpu/conv/window_scatter.hpp"

namespace ortool::cpu {
namespace {

/// Offsets along one axis for adding at one kernel position.
struct AxisShift {
  RowSources range;
  std::int64_t stride;
  std::int64_t shift;

  AxisShift(const BlockAxis& axis, std::int64_t step)
      : range(0, axis.blocks, axis.stride, step * axis.dilation - axis.pad, axis.image),
        stride(axis.stride),
        shift(step * axis.dilation - axis.pad) {}
};

/// Adds the blocks of the axes from `axis` on, at one kernel position, to the pixels at `y`.
template <typename T>
void add_blocks(const std::vector<BlockAxis>& axes, std::size_t axis, std::int64_t position,
                const T* columns, T* y) {
  std::int64_t positions = 1;
  std::int64_t blocks = 1;
  std::int64_t pixels = 1;
  for (std::size_t i = axis + 1; i < axes.size(); ++i) {
    positions *= axes[i].kernel;
    blocks *= axes[i].blocks;
    pixels *= axes[i].image;
  }
  const AxisShift here(axes[axis], position / positions);
  if (axis + 1 == axes.size())
    return add_scaled_row(columns, T{1}, here.range, here.stride, here.shift, y);
  const auto pixels_of = [&](std::int64_t i) {
    return y + (i * here.stride + here.shift) * pixels;
  };
  if (axis + 2 == axes.size()) {
    const AxisShift last(axes[axis + 1], position % positions);
    for (std::int64_t i = here.range.begin; i < here.range.end; ++i)
      add_scaled_row(columns + i * blocks, T{1}, last.range, last.stride, last.shift, pixels_of(i));
    return;
  }
  for (std::int64_t i = here.range.begin; i < here.range.end; ++i)
    add_blocks(axes, axis + 1, position % positions, columns + i * blocks, pixels_of(i));
}

}  // namespace

template <typename T>
void col2im(std::int64_t planes, const std::vector<BlockAxis>& axes, const T* columns, T* y,
            Workers& workers) {
  std::int64_t positions = 1;
  std::int64_t blocks = 1;
  std::int64_t pixels = 1;
  for (const BlockAxis& axis : axes) {
    positions *= axis.kernel;
    blocks *= axis.blocks;
    pixels *= axis.image;
  }
  workers.parallel_for(planes, [&](std::int64_t plane) {
    T* to = y + plane * pixels;
    std::fill(to, to + pixels, T{0});
    for (std::int64_t position = 0; position < positions; ++position) {
      workers.poll();
      add_blocks(axes, 0, position, columns + (plane * positions + position) * blocks, to);
    }
  });
}

#define ORTOOL_COL2IM(T) \
  template void col2im(std::int64_t, const std::vector<BlockAxis>&, const T*, T*, Workers&);
ORTOOL_COL2IM(float)
ORTOOL_COL2IM(double)
ORTOOL_COL2IM(std::uint8_t)
ORTOOL_COL2IM(std::uint16_t)
ORTOOL_COL2IM(std::uint32_t)
ORTOOL_COL2IM(std::uint64_t)
#undef ORTOOL_COL2IM

}  // namespace ortool::cpu
