// NonZero and Compress: marks nonzero elements, counts marks by blocks, lists positions by rows.
#include "kernels/cpu/data_movement/selection.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "kernels/cpu/types/dispatch_element_size.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t mark_grain = 65536;

/// Mask of the bits that distinguish an element from zero: all but the sign bits of floats.
std::uint64_t telling_bits(DataType type) {
  switch (type) {
    case DataType::float16:
    case DataType::bfloat16:
      return 0x7fffU;
    case DataType::float32:
      return 0x7fffffffU;
    case DataType::complex64:
      return 0x7fffffff7fffffffU;
    case DataType::float64:
    case DataType::complex128:
      return 0x7fffffffffffffffU;
    default:
      return ~std::uint64_t{0};
  }
}

}  // namespace

void mark_non_zero(DataType type, const void* in, bool* marks, std::int64_t count,
                   Workers& workers) {
  const std::uint64_t mask = telling_bits(type);
  dispatch_element_size(element_bits(type) / 8, [&](auto element) {
    using Element = decltype(element);
    const auto* elements = static_cast<const Element*>(in);
    workers.parallel_ranges(count, mark_grain, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if constexpr (sizeof(Element) == 16) {
          marks[i] = ((elements[i].words[0] | elements[i].words[1]) & mask) != 0;
        } else {
          marks[i] = (elements[i] & static_cast<Element>(mask)) != 0;
        }
      }
    });
  });
}

std::int64_t count_marks(const bool* marks, std::int64_t count, Workers& workers) {
  std::atomic<std::int64_t> total{0};
  workers.parallel_ranges(count, mark_grain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += marks[i] ? 1 : 0;
    total += sum;
  });
  return total;
}

void positions_of_marks(const bool* marks, std::span<const std::int64_t> shape, std::int64_t total,
                        std::int64_t* out) {
  if (shape.empty() || total == 0) return;
  const std::size_t last = shape.size() - 1;
  const std::int64_t size = shape[last];
  std::vector<std::int64_t> index(last);
  std::int64_t found = 0;
  while (found < total) {
    for (std::int64_t i = 0; i < size; ++i) {
      if (!marks[i]) continue;
      for (std::size_t axis = 0; axis < last; ++axis)
        out[static_cast<std::int64_t>(axis) * total + found] = index[axis];
      out[static_cast<std::int64_t>(last) * total + found] = i;
      ++found;
    }
    marks += size;
    for (std::size_t axis = last; axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

}  // namespace ortool::cpu
