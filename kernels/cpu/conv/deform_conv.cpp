// Deformable convolution: samples a tile of windows for all channels that share offsets, then runs
// a GEMM.
#include "kernels/cpu/conv/deform_conv.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "kernels/cpu/isa/gather_sum.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t max_tile = 512;
constexpr std::int64_t max_corners = 8;

std::int64_t count_of(const std::int64_t (&dims)[3]) {
  return dims[0] * dims[1] * dims[2];
}

std::int64_t deform_tile(const DeformConvSizes& sizes) {
  return std::clamp<std::int64_t>(count_of(sizes.out), 1, max_tile);
}

GemmSizes deform_product(const DeformConvSizes& sizes, std::int64_t pixels) {
  return {.m = sizes.channels_out / sizes.groups,
          .n = pixels,
          .k = sizes.channels_in / sizes.groups * count_of(sizes.kernel)};
}

std::int64_t columns_bytes(const DeformConvSizes& sizes, std::int64_t element_bytes) {
  const std::int64_t bytes = deform_product(sizes, 1).k * deform_tile(sizes) * element_bytes;
  return (bytes + 63) / 64 * 64;
}

/// Sampling points and interpolation weights of one kernel position for a tile of outputs.
template <typename T>
struct Corners {
  std::int64_t count = 0;                     ///< corners per sample
  std::int32_t index[max_corners][max_tile];  ///< -1: outside the image
  T weight[max_corners][max_tile];
};

template <typename T>
void find_corners(const DeformConvSizes& sizes, const T* offsets, const T* mask,
                  std::int64_t position, std::int64_t first, std::int64_t count,
                  Corners<T>& corners) {
  const std::int64_t pixels = count_of(sizes.out);
  const std::int64_t step[3] = {position / (sizes.kernel[1] * sizes.kernel[2]),
                                position / sizes.kernel[2] % sizes.kernel[1],
                                position % sizes.kernel[2]};
  corners.count = std::int64_t{1} << sizes.axes;
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t out = first + p;
    const std::int64_t place[3] = {out / (sizes.out[1] * sizes.out[2]),
                                   out / sizes.out[2] % sizes.out[1], out % sizes.out[2]};
    std::int64_t low[3] = {0, 0, 0};
    T rest[3] = {};
    bool is_outside = false;
    for (std::int64_t axis = 3 - sizes.axes; axis < 3; ++axis) {
      const std::int64_t start =
          place[axis] * sizes.stride[axis] - sizes.pad[axis] + step[axis] * sizes.dilation[axis];
      const T at = static_cast<T>(start) + offsets[(axis - (3 - sizes.axes)) * pixels + out];
      if (!(at > T{-1} && at < static_cast<T>(sizes.in[axis]))) {
        is_outside = true;
        continue;
      }
      const T below = std::floor(at);
      low[axis] = static_cast<std::int64_t>(below);
      rest[axis] = at - below;
    }
    const T factor = mask == nullptr ? T{1} : mask[out];
    for (std::int64_t corner = 0; corner < corners.count; ++corner) {
      std::int64_t index = 0;
      T weight = factor;
      for (std::int64_t axis = 3 - sizes.axes; axis < 3; ++axis) {
        const std::int64_t up = corner >> (2 - axis) & 1;
        const std::int64_t here = low[axis] + up;
        const bool misses = here < 0 || here >= sizes.in[axis];
        index = index < 0 || misses ? -1 : index * sizes.in[axis] + here;
        weight *= up == 1 ? rest[axis] : T{1} - rest[axis];
      }
      corners.index[corner][p] = is_outside ? -1 : static_cast<std::int32_t>(index);
      corners.weight[corner][p] = weight;
    }
  }
}

template <typename T>
void sample_channel(const Corners<T>& corners, const T* image, std::int64_t count, Isa isa,
                    T* out) {
  if constexpr (std::is_same_v<T, float>) {
    gather_sum_function(isa)({.from = image,
                              .index = corners.index[0],
                              .weight = corners.weight[0],
                              .taps = corners.count,
                              .stride = max_tile,
                              .count = count,
                              .out = out});
  } else {
    for (std::int64_t p = 0; p < count; ++p) {
      T sum = T{0};
      for (std::int64_t corner = 0; corner < corners.count; ++corner) {
        const std::int32_t index = corners.index[corner][p];
        if (index >= 0) sum += corners.weight[corner][p] * image[index];
      }
      out[p] = sum;
    }
  }
}

/// y = weights × sampled columns + bias.
template <typename T>
void multiply_columns(const GemmSizes& product, const T* weights, const T* columns,
                      std::int64_t tile, const T* bias, T* y, std::int64_t y_stride, Isa isa,
                      void* space, Workers& workers) {
  if constexpr (std::is_same_v<T, float>) {
    Epilogue epilogue;
    if (bias != nullptr) {
      epilogue.addend = Addend::per_row;
      epilogue.added = bias;
    }
    gemm_unpacked(product, {.data = weights, .stride = product.k},
                  {.data = columns, .stride = tile}, y, y_stride, epilogue, isa, space, workers);
  } else {
    workers.parallel_for(product.m, [&](std::int64_t m) {
      T* row = y + m * y_stride;
      std::fill(row, row + product.n, bias == nullptr ? T{0} : bias[m]);
      for (std::int64_t k = 0; k < product.k; ++k) {
        const T factor = weights[m * product.k + k];
        for (std::int64_t i = 0; i < product.n; ++i) row[i] += factor * columns[k * tile + i];
      }
    });
  }
}

}  // namespace

template <typename T>
std::int64_t deform_conv_workspace_bytes(const DeformConvSizes& sizes, Isa isa) {
  const std::int64_t columns = columns_bytes(sizes, sizeof(T));
  if constexpr (!std::is_same_v<T, float>) return columns;
  const std::int64_t tile = deform_tile(sizes);
  const std::int64_t last = count_of(sizes.out) % tile;
  return columns + std::max(gemm_unpacked_workspace_bytes(deform_product(sizes, tile), isa),
                            gemm_unpacked_workspace_bytes(deform_product(sizes, last), isa));
}

template <typename T>
void deform_conv(const DeformConvSizes& sizes, const DeformConvOperands<T>& operands, Isa isa,
                 void* workspace, Workers& workers) {
  const std::int64_t pixels = count_of(sizes.out);
  const std::int64_t plane = count_of(sizes.in);
  const std::int64_t positions = count_of(sizes.kernel);
  const std::int64_t tile = deform_tile(sizes);
  const std::int64_t group_in = sizes.channels_in / sizes.groups;
  const std::int64_t group_out = sizes.channels_out / sizes.groups;
  const std::int64_t sharing = sizes.channels_in / sizes.offset_groups;
  auto* columns = static_cast<T*>(workspace);
  auto* space = static_cast<std::byte*>(workspace) + columns_bytes(sizes, sizeof(T));
  for (std::int64_t image = 0; image < sizes.batch * sizes.groups; ++image) {
    const std::int64_t n = image / sizes.groups;
    const std::int64_t group = image % sizes.groups;
    for (std::int64_t first = 0; first < pixels; first += tile) {
      const std::int64_t count = std::min(tile, pixels - first);
      workers.parallel_for(sizes.offset_groups * positions, [&](std::int64_t task) {
        const std::int64_t offset_group = task / positions;
        const std::int64_t position = task % positions;
        const std::int64_t begin = std::max(offset_group * sharing, group * group_in);
        const std::int64_t end = std::min((offset_group + 1) * sharing, (group + 1) * group_in);
        if (begin >= end) return;
        const std::int64_t map = n * sizes.offset_groups * positions + task;
        Corners<T> corners;
        find_corners(sizes, operands.offsets + map * sizes.axes * pixels,
                     operands.mask == nullptr ? nullptr : operands.mask + map * pixels, position,
                     first, count, corners);
        for (std::int64_t c = begin; c < end; ++c) {
          sample_channel(corners, operands.x + (n * sizes.channels_in + c) * plane, count, isa,
                         columns + ((c - group * group_in) * positions + position) * tile);
        }
      });
      multiply_columns(deform_product(sizes, count),
                       operands.weights + group * group_out * group_in * positions, columns, tile,
                       operands.bias == nullptr ? nullptr : operands.bias + group * group_out,
                       operands.y + (n * sizes.channels_out + group * group_out) * pixels + first,
                       pixels, isa, space, workers);
    }
  }
}

#define ORTOOL_DEFORM(T)                                                                      \
  template std::int64_t deform_conv_workspace_bytes<T>(const DeformConvSizes&, Isa);          \
  template void deform_conv(const DeformConvSizes&, const DeformConvOperands<T>&, Isa, void*, \
                            Workers&);
ORTOOL_DEFORM(float)
ORTOOL_DEFORM(double)
#undef ORTOOL_DEFORM

}  // namespace ortool::cpu
