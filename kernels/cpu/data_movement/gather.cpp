// Gather kernels: check indices, turn them into offsets, then copy bytes.
#include "kernels/cpu/data_movement/gather.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/data_movement/element_walk.hpp"
#include "kernels/cpu/parallel/interruptible_loop.hpp"
#include "kernels/cpu/types/dispatch_element_size.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t gather_task_bytes = 131072;

void copy_bytes(char* out, const char* in, std::int64_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(out, in, 4);
      return;
    case 8:
      std::memcpy(out, in, 8);
      return;
    default:
      std::memcpy(out, in, static_cast<std::size_t>(bytes));
  }
}

/// gather_row() of adjacent elements, all counted from `from`: four indices are checked together.
/// Returns how many were gathered, which are less than `count` also before one that is refused.
template <typename Element, typename Index>
std::int64_t gather_fours(const Element* __restrict from, const Index* __restrict indices,
                          Element* __restrict to, std::int64_t size, std::int64_t count) {
  const auto offset_of = [size](std::int64_t index) {
    return static_cast<std::uint64_t>(index < 0 ? index + size : index);
  };
  const auto end = static_cast<std::uint64_t>(size);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const std::uint64_t a = offset_of(indices[i]);
    const std::uint64_t b = offset_of(indices[i + 1]);
    const std::uint64_t c = offset_of(indices[i + 2]);
    const std::uint64_t d = offset_of(indices[i + 3]);
    if (std::max(std::max(a, b), std::max(c, d)) >= end) break;
    to[i] = from[a];
    to[i + 1] = from[b];
    to[i + 2] = from[c];
    to[i + 3] = from[d];
  }
  return i;
}

/// Gathers `count` indices of a row; `from` is the address of index 0 for the first element.
template <typename Element, typename Index>
void gather_row(const Element* from, const Index* indices, Element* to, const ElementPlaces& places,
                std::int64_t first, std::int64_t count) {
  const std::int64_t size = places.axis_size;
  const std::int64_t stride = places.axis_stride;
  const std::int64_t step = places.row_step;
  std::int64_t i = 0;
  if (step == 0 && stride == 1) i = gather_fours(from, indices, to, size, count);
  for (; i < count; ++i)
    to[i] = from[i * step + checked_index(indices[i], size, first + i) * stride];
}

}  // namespace

void refuse_index(std::int64_t index, std::int64_t size, std::int64_t position) {
  throw Error(ErrorCode::invalid,
              format("index {} at position {} is outside a dimension of size {} (expected {}..{})",
                     index, position, size, -size, size - 1),
              "check the input that gives the indices");
}

template <typename Index>
void gather(const void* in, std::span<const Index> indices, void* out, GatherSizes sizes,
            std::int64_t element_bytes, Workers& workers) {
  const std::int64_t count = static_cast<std::int64_t>(indices.size());
  const std::int64_t bytes = sizes.inner * element_bytes;
  interruptible_loop(count, workers, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      checked_index(indices[static_cast<std::size_t>(i)], sizes.axis, i);
  });
  if (bytes == 0) return;
  const std::int64_t grain =
      std::max<std::int64_t>(1, gather_task_bytes / std::max<std::int64_t>(bytes, 16));
  workers.parallel_ranges(sizes.outer * count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t index = indices[static_cast<std::size_t>(row % count)];
      if (index < 0) index += sizes.axis;
      copy_bytes(static_cast<char*>(out) + row * bytes,
                 static_cast<const char*>(in) + (row / count * sizes.axis + index) * bytes, bytes);
    }
  });
}

template <typename Index>
void gather_elements(const void* in, const Index* indices, void* out, const ElementPlaces& places,
                     std::int64_t element_bytes, Workers& workers) {
  const std::int64_t rows_a_task =
      std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(places.row, 1));
  dispatch_element_size(element_bytes, [&](auto element) {
    using Element = decltype(element);
    const auto* from = static_cast<const Element*>(in);
    auto* to = static_cast<Element*>(out);
    workers.parallel_ranges(places.rows(), rows_a_task, [&](std::int64_t begin, std::int64_t end) {
      walk_element_rows(places, begin, end, [&](std::int64_t offset, std::int64_t first) {
        interruptible_loop(places.row, workers, [&](std::int64_t left, std::int64_t right) {
          gather_row(from + offset + left * places.row_step, indices + first + left,
                     to + first + left, places, first + left, right - left);
        });
      });
    });
  });
}

void gather_nd(const void* in, std::span<const std::int64_t> shape, const std::int64_t* indices,
               std::int64_t rows, std::int64_t depth, std::int64_t batch_dims, void* out,
               std::int64_t element_bytes, Workers& workers) {
  const std::size_t first = static_cast<std::size_t>(batch_dims);
  const std::size_t last = first + static_cast<std::size_t>(depth);
  ORTOOL_CHECK(last <= shape.size());
  std::int64_t batches = 1;
  std::int64_t slice = 1;
  for (std::size_t i = 0; i < first; ++i) batches *= shape[i];
  for (std::size_t i = last; i < shape.size(); ++i) slice *= shape[i];
  const std::int64_t bytes = slice * element_bytes;
  if (rows == 0 || bytes == 0) return;
  ORTOOL_CHECK(batches > 0 && rows % batches == 0);
  const std::int64_t rows_a_batch = rows / batches;
  const std::int64_t grain =
      std::max<std::int64_t>(1, gather_task_bytes / std::max<std::int64_t>(bytes, 16));
  workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t offset = row / rows_a_batch;
      for (std::int64_t k = 0; k < depth; ++k) {
        const std::int64_t size = shape[first + static_cast<std::size_t>(k)];
        const std::int64_t position = row * depth + k;
        offset = offset * size + checked_index(indices[position], size, position);
      }
      copy_bytes(static_cast<char*>(out) + row * bytes,
                 static_cast<const char*>(in) + offset * bytes, bytes);
    }
  });
}

template void gather(const void*, std::span<const std::int32_t>, void*, GatherSizes, std::int64_t,
                     Workers&);
template void gather(const void*, std::span<const std::int64_t>, void*, GatherSizes, std::int64_t,
                     Workers&);
template void gather_elements(const void*, const std::int32_t*, void*, const ElementPlaces&,
                              std::int64_t, Workers&);
template void gather_elements(const void*, const std::int64_t*, void*, const ElementPlaces&,
                              std::int64_t, Workers&);

}  // namespace ortool::cpu
