// Strided copies: merges dimensions, then copies rows, fills, or transposes in blocks.
#include "kernels/cpu/data_movement/copy_strided.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cpu/parallel/broadcast.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t grain = 32768;
constexpr std::int64_t tile_edge = 32;

struct SixteenBytes {
  std::uint64_t halves[2];
};

/// Loops without size-1 dimensions and with contiguous ones merged; strides[1] is the output's.
BroadcastPlan plan_copy(std::span<const std::int64_t> sizes,
                        std::span<const std::int64_t> strides) {
  ORTOOL_CHECK(sizes.size() == strides.size());
  BroadcastPlan plan;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    plan.count *= sizes[i];
    if (sizes[i] == 1) continue;
    if (!plan.loops.empty() && plan.loops.back().strides[0] == strides[i] * sizes[i]) {
      plan.loops.back().size *= sizes[i];
      plan.loops.back().strides[0] = strides[i];
    } else {
      plan.loops.push_back({sizes[i], {strides[i]}});
    }
  }
  if (plan.loops.empty()) plan.loops.push_back({1, {1}});
  std::int64_t stride = 1;
  for (std::size_t i = plan.loops.size(); i-- > 0;) {
    plan.loops[i].strides[1] = stride;
    stride *= plan.loops[i].size;
  }
  return plan;
}

template <typename T>
void copy_row(const T* in, T* out, std::int64_t length, std::int64_t stride) {
  if (stride == 1 && length * static_cast<std::int64_t>(sizeof(T)) > 64) {
    std::memcpy(out, in, static_cast<std::size_t>(length) * sizeof(T));
  } else if (stride == 0) {
    std::fill_n(out, length, *in);
  } else {
    for (std::int64_t i = 0; i < length; ++i) out[i] = in[i * stride];
  }
}

/// Two dimensions of a transpose: output rows are `out_stride` apart and their elements `in_stride`
/// apart in the input, where adjacent elements belong to adjacent output rows.
struct Block {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t in_stride;
  std::int64_t out_stride;
};

template <typename T>
void transpose_scalars(const T* in, T* out, Block block) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    for (std::int64_t column = 0; column < block.columns; ++column) {
      out[row * block.out_stride + column] = in[column * block.in_stride + row];
    }
  }
}

typedef std::uint32_t Uint32x4 __attribute__((vector_size(16)));

void transpose_four(const std::uint32_t* in, std::uint32_t* out, Block block) {
  Uint32x4 a[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&a[i], in + i * block.in_stride, 16);
  const Uint32x4 low = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5);
  const Uint32x4 high = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7);
  const Uint32x4 next_low = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5);
  const Uint32x4 next_high = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
  a[0] = __builtin_shufflevector(low, next_low, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(low, next_low, 2, 3, 6, 7);
  a[2] = __builtin_shufflevector(high, next_high, 0, 1, 4, 5);
  a[3] = __builtin_shufflevector(high, next_high, 2, 3, 6, 7);
  for (int i = 0; i < 4; ++i) std::memcpy(out + i * block.out_stride, &a[i], 16);
}

template <typename T>
void transpose_block(const T* in, T* out, Block block) {
  if constexpr (sizeof(T) == 4) {
    const std::int64_t rows = block.rows / 4 * 4;
    const std::int64_t columns = block.columns / 4 * 4;
    for (std::int64_t row = 0; row < rows; row += 4) {
      for (std::int64_t column = 0; column < columns; column += 4) {
        transpose_four(in + column * block.in_stride + row, out + row * block.out_stride + column,
                       block);
      }
    }
    transpose_scalars(in + columns * block.in_stride, out + columns,
                      {rows, block.columns - columns, block.in_stride, block.out_stride});
    transpose_scalars(in + rows, out + rows * block.out_stride,
                      {block.rows - rows, block.columns, block.in_stride, block.out_stride});
  } else {
    transpose_scalars(in, out, block);
  }
}

/// The loop that is contiguous in the input while the innermost loop is not, or none (-1).
std::ptrdiff_t neighbor_loop(const BroadcastPlan& plan) {
  const std::int64_t inner = plan.loops.back().strides[0];
  if (inner == 1 || inner == 0) return -1;
  for (std::size_t i = 0; i + 1 < plan.loops.size(); ++i) {
    if (plan.loops[i].strides[0] == 1 && plan.loops[i].size >= 4) {
      return static_cast<std::ptrdiff_t>(i);
    }
  }
  return -1;
}

template <typename T>
void copy_transposed(const T* in, T* out, BroadcastPlan plan, std::size_t rows_loop,
                     Workers& workers) {
  const BroadcastPlan::Loop rows = plan.loops[rows_loop];
  const BroadcastPlan::Loop columns = plan.loops.back();
  plan.loops.pop_back();
  plan.loops.erase(plan.loops.begin() + static_cast<std::ptrdiff_t>(rows_loop));
  const std::int64_t row_tiles = (rows.size + tile_edge - 1) / tile_edge;
  const std::int64_t outer = plan.count / (rows.size * columns.size);
  const std::int64_t unit = std::min(rows.size, tile_edge) * columns.size;
  workers.parallel_ranges(
      outer * row_tiles, std::max<std::int64_t>(1, grain / unit),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t task = begin; task < end; ++task) {
          std::int64_t rest = task / row_tiles;
          const std::int64_t first = task % row_tiles * tile_edge;
          const T* from = in + first;
          T* to = out + first * rows.strides[1];
          for (std::size_t i = plan.loops.size(); i-- > 0;) {
            const std::int64_t index = rest % plan.loops[i].size;
            rest /= plan.loops[i].size;
            from += index * plan.loops[i].strides[0];
            to += index * plan.loops[i].strides[1];
          }
          Block block{std::min(tile_edge, rows.size - first), 0, columns.strides[0],
                      rows.strides[1]};
          for (std::int64_t column = 0; column < columns.size; column += tile_edge) {
            block.columns = std::min(tile_edge, columns.size - column);
            transpose_block(from + column * columns.strides[0], to + column, block);
          }
        }
      });
}

template <typename T>
void copy_typed(const void* in, void* out, const BroadcastPlan& plan, Workers& workers) {
  const T* from = static_cast<const T*>(in);
  T* to = static_cast<T*>(out);
  const std::ptrdiff_t rows_loop = neighbor_loop(plan);
  if (rows_loop >= 0) {
    copy_transposed(from, to, plan, static_cast<std::size_t>(rows_loop), workers);
    return;
  }
  const std::int64_t stride = plan.loops.back().strides[0];
  workers.parallel_ranges(plan.count, grain, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
      copy_row(from + offsets[0], to + at, length, stride);
    });
  });
}

std::vector<std::int64_t> strides_of(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

}  // namespace

void copy_strided(const void* in, void* out, std::span<const std::int64_t> sizes,
                  std::span<const std::int64_t> strides, std::int64_t element_bytes,
                  Workers& workers) {
  const BroadcastPlan plan = plan_copy(sizes, strides);
  if (plan.count == 0) return;
  switch (element_bytes) {
    case 1:
      return copy_typed<std::uint8_t>(in, out, plan, workers);
    case 2:
      return copy_typed<std::uint16_t>(in, out, plan, workers);
    case 4:
      return copy_typed<std::uint32_t>(in, out, plan, workers);
    case 8:
      return copy_typed<std::uint64_t>(in, out, plan, workers);
    case 16:
      return copy_typed<SixteenBytes>(in, out, plan, workers);
    default:
      ORTOOL_CHECK(false && "element size");
  }
}

void transpose(const void* in, void* out, std::span<const std::int64_t> shape,
               std::span<const std::int64_t> permutation, std::int64_t element_bytes,
               Workers& workers) {
  ORTOOL_CHECK(shape.size() == permutation.size());
  const std::vector<std::int64_t> in_strides = strides_of(shape);
  std::vector<std::int64_t> sizes(shape.size());
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t from = static_cast<std::size_t>(permutation[i]);
    ORTOOL_CHECK(from < shape.size());
    sizes[i] = shape[from];
    strides[i] = in_strides[from];
  }
  copy_strided(in, out, sizes, strides, element_bytes, workers);
}

void tile(const void* in, void* out, std::span<const std::int64_t> shape,
          std::span<const std::int64_t> repeats, std::int64_t element_bytes, Workers& workers) {
  ORTOOL_CHECK(shape.size() == repeats.size());
  const std::vector<std::int64_t> in_strides = strides_of(shape);
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    sizes.insert(sizes.end(), {repeats[i], shape[i]});
    strides.insert(strides.end(), {0, in_strides[i]});
  }
  copy_strided(in, out, sizes, strides, element_bytes, workers);
}

void depth_to_space(const void* in, void* out, std::span<const std::int64_t, 4> shape,
                    std::int64_t block, DepthOrder order, std::int64_t element_bytes,
                    Workers& workers) {
  ORTOOL_CHECK(block > 0 && block < (std::int64_t{1} << 20) && shape[1] % (block * block) == 0);
  const std::int64_t depth = shape[1] / (block * block);
  if (order == DepthOrder::depth_column_row) {
    const std::int64_t split[] = {shape[0], block, block, depth, shape[2], shape[3]};
    const std::int64_t permutation[] = {0, 3, 4, 1, 5, 2};
    return transpose(in, out, split, permutation, element_bytes, workers);
  }
  const std::int64_t split[] = {shape[0], depth, block, block, shape[2], shape[3]};
  const std::int64_t permutation[] = {0, 1, 4, 2, 5, 3};
  transpose(in, out, split, permutation, element_bytes, workers);
}

void space_to_depth(const void* in, void* out, std::span<const std::int64_t, 4> shape,
                    std::int64_t block, std::int64_t element_bytes, Workers& workers) {
  ORTOOL_CHECK(block > 0 && shape[2] % block == 0 && shape[3] % block == 0);
  const std::int64_t split[] = {shape[0], shape[1],         shape[2] / block,
                                block,    shape[3] / block, block};
  const std::int64_t permutation[] = {0, 3, 5, 1, 2, 4};
  transpose(in, out, split, permutation, element_bytes, workers);
}

void copy_rows(const void* in, std::int64_t in_stride_bytes, void* out,
               std::int64_t out_stride_bytes, std::int64_t row_bytes, std::int64_t rows,
               Workers& workers) {
  if (row_bytes == 0) return;
  const std::int64_t rows_a_task = std::max<std::int64_t>(1, 4 * grain / row_bytes);
  workers.parallel_ranges(rows, rows_a_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::memcpy(static_cast<char*>(out) + row * out_stride_bytes,
                  static_cast<const char*>(in) + row * in_stride_bytes,
                  static_cast<std::size_t>(row_bytes));
    }
  });
}

}  // namespace ortool::cpu
