// Gathers: indices are checked and turned into offsets, then bytes are copied.
#include "kernels/cpu/gather.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t task_bytes = 131072;

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

}  // namespace

std::int64_t checked_index(std::int64_t index, std::int64_t size, std::int64_t position) {
  if (index < -size || index >= size) {
    throw Error(
        ErrorCode::invalid,
        format("index {} at position {} is outside a dimension of size {} (expected {}..{})", index,
               position, size, -size, size - 1),
        "check the input that gives the indices");
  }
  return index < 0 ? index + size : index;
}

template <typename Index>
void gather(const void* in, std::span<const Index> indices, void* out, GatherSizes sizes,
            std::int64_t element_bytes, Workers& workers) {
  const std::int64_t count = static_cast<std::int64_t>(indices.size());
  const std::int64_t bytes = sizes.inner * element_bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    checked_index(indices[static_cast<std::size_t>(i)], sizes.axis, i);
  }
  if (bytes == 0) return;
  const std::int64_t grain =
      std::max<std::int64_t>(1, task_bytes / std::max<std::int64_t>(bytes, 16));
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
void gather_elements(const void* in, std::span<const std::int64_t> shape, const Index* indices,
                     std::span<const std::int64_t> index_shape, void* out, std::size_t axis,
                     std::int64_t element_bytes, Workers& workers) {
  ORTOOL_CHECK(shape.size() == index_shape.size() && axis < shape.size());
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    ORTOOL_CHECK(i == axis || index_shape[i] <= shape[i]);
    count *= index_shape[i];
  }
  workers.parallel_ranges(count, 16384, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      std::int64_t rest = at;
      std::int64_t stride = 1;
      std::int64_t offset = 0;
      for (std::size_t i = shape.size(); i-- > 0;) {
        const std::int64_t position =
            i == axis ? checked_index(indices[at], shape[i], at) : rest % index_shape[i];
        rest /= index_shape[i];
        offset += position * stride;
        stride *= shape[i];
      }
      copy_bytes(static_cast<char*>(out) + at * element_bytes,
                 static_cast<const char*>(in) + offset * element_bytes, element_bytes);
    }
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
      std::max<std::int64_t>(1, task_bytes / std::max<std::int64_t>(bytes, 16));
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
template void gather_elements(const void*, std::span<const std::int64_t>, const std::int32_t*,
                              std::span<const std::int64_t>, void*, std::size_t, std::int64_t,
                              Workers&);
template void gather_elements(const void*, std::span<const std::int64_t>, const std::int64_t*,
                              std::span<const std::int64_t>, void*, std::size_t, std::int64_t,
                              Workers&);

}  // namespace ortool::cpu
