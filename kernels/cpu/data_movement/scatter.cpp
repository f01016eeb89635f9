// Scatter kernels, partitioned by coordinates that indices do not change, so that tasks never write
// to the same element.
#include "kernels/cpu/data_movement/scatter.hpp"

#include <algorithm>

#include "kernels/cpu/data_movement/element_walk.hpp"
#include "kernels/cpu/data_movement/gather.hpp"
#include "kernels/cpu/data_movement/scatter_step.hpp"
#include "kernels/cpu/parallel/interruptible_loop.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t column_block = 64;
constexpr std::int64_t task_updates = 16384;

}  // namespace

bool can_scatter(ScatterOp op, DataType type) {
  if (op == ScatterOp::replace) return element_bits(type) >= 8;
  const bool is_complex = type == DataType::complex64 || type == DataType::complex128;
  if (is_complex) return op == ScatterOp::add || op == ScatterOp::multiply;
  return element_bits(type) >= 16 || type == DataType::int8 || type == DataType::uint8 ||
         type == DataType::boolean;
}

template <typename Index>
void scatter_elements(void* out, const Index* indices, const void* updates,
                      const ElementPlaces& places, ScatterOp op, DataType type, Workers& workers) {
  if (places.rows() == 0) return;
  // A task owns coordinates before the axis, or columns of the innermost dimension.
  const bool has_columns = places.row_step == 1;
  const std::int64_t blocks =
      has_columns ? (places.row + column_block - 1) / column_block : std::int64_t{1};
  const std::int64_t rows = places.inner / places.row;
  const std::int64_t updates_a_task = std::max<std::int64_t>(1, places.inner / blocks);
  const ScatterElements scatter = choose_scatter_loops(op, type).scatter;
  // Of adjacent columns of a row of indices.
  const auto scatter_columns = [&](std::int64_t offset, std::int64_t first, std::int64_t begin,
                                   std::int64_t end) {
    std::int64_t found[column_block];
    for (std::int64_t column = begin; column < end; column += column_block) {
      const std::int64_t count = std::min(column_block, end - column);
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t i = first + column + k;
        const std::int64_t index = checked_index(indices[i], places.axis_size, i);
        found[k] = offset + (column + k) * places.row_step + index * places.axis_stride;
      }
      scatter(out, found, updates, first + column, count);
    }
  };
  const auto scatter_part = [&](std::int64_t part) {
    const std::int64_t block = part % blocks;
    const std::int64_t left = has_columns ? block * column_block : 0;
    const std::int64_t right = has_columns ? std::min(left + column_block, places.row) : places.row;
    const std::int64_t first_row = part / blocks * rows;
    walk_element_rows(
        places, first_row, first_row + rows, [&](std::int64_t offset, std::int64_t first) {
          interruptible_loop(right - left, workers, [&](std::int64_t begin, std::int64_t end) {
            scatter_columns(offset, first, left + begin, left + end);
          });
        });
  };
  workers.parallel_ranges(places.outer * blocks,
                          std::max<std::int64_t>(1, task_updates / updates_a_task),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t part = begin; part < end; ++part) scatter_part(part);
                          });
}

void scatter_nd(void* out, std::span<const std::int64_t> shape, const std::int64_t* indices,
                std::int64_t rows, std::int64_t depth, const void* updates, ScatterOp op,
                DataType type, Workers& workers) {
  ORTOOL_CHECK(depth <= static_cast<std::int64_t>(shape.size()));
  std::int64_t slice = 1;
  for (std::size_t i = static_cast<std::size_t>(depth); i < shape.size(); ++i) slice *= shape[i];
  const auto offset_of = [&](std::int64_t row) {
    std::int64_t offset = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const std::int64_t size = shape[static_cast<std::size_t>(k)];
      offset = offset * size + checked_index(indices[row * depth + k], size, row * depth + k);
    }
    return offset * slice;
  };
  const UpdateElements update = choose_scatter_loops(op, type).update;
  // Several rows may update the same slice, so each task takes its own part of every slice.
  const std::int64_t grain =
      std::max<std::int64_t>(column_block, task_updates / std::max<std::int64_t>(rows, 1));
  workers.parallel_ranges(slice, grain, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t rows_a_poll = 4096;
    for (std::int64_t row = 0; row < rows; ++row) {
      if (row % rows_a_poll == 0) workers.poll();
      update(out, offset_of(row) + begin, updates, row * slice + begin, end - begin);
    }
  });
}

template void scatter_elements(void*, const std::int32_t*, const void*, const ElementPlaces&,
                               ScatterOp, DataType, Workers&);
template void scatter_elements(void*, const std::int64_t*, const void*, const ElementPlaces&,
                               ScatterOp, DataType, Workers&);

}  // namespace ortool::cpu
