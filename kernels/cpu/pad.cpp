// Padding by one table a dimension: which input index, if any, an output index reads.
#include "kernels/cpu/pad.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t task_elements = 32768;

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// The input index that output index `position` (counted from the input's first) reads, or -1.
std::int64_t source_index(std::int64_t position, std::int64_t size, PadMode mode) {
  if (position >= 0 && position < size) return position;
  switch (mode) {
    case PadMode::edge:
      return std::clamp<std::int64_t>(position, 0, size - 1);
    case PadMode::reflect: {
      if (size == 1) return 0;
      const std::int64_t folded = modulo(position, 2 * (size - 1));
      return folded < size ? folded : 2 * (size - 1) - folded;
    }
    case PadMode::wrap:
      return modulo(position, size);
    default:
      return -1;
  }
}

std::vector<std::int64_t> source_indices(std::int64_t size, std::int64_t before, std::int64_t after,
                                         PadMode mode) {
  const std::int64_t out_size = size + before + after;
  ORTOOL_CHECK(out_size >= 0);
  if (size == 0 && out_size > 0 && mode != PadMode::constant) {
    throw Error(ErrorCode::invalid, "Pad: a dimension of size 0 has no element to repeat",
                "only the constant mode can widen it");
  }
  std::vector<std::int64_t> indices(static_cast<std::size_t>(out_size));
  for (std::int64_t i = 0; i < out_size; ++i) {
    indices[static_cast<std::size_t>(i)] = source_index(i - before, size, mode);
  }
  return indices;
}

/// Copies `count` elements of a row; runs of neighbours in one piece.
void pad_row(const char* in, char* out, const std::vector<std::int64_t>& indices, const char* fill,
             std::size_t bytes) {
  for (std::size_t i = 0; i < indices.size();) {
    const std::int64_t first = indices[i];
    if (in == nullptr || first < 0) {
      std::memcpy(out + i * bytes, fill, bytes);
      ++i;
      continue;
    }
    std::size_t run = 1;
    while (i + run < indices.size() && indices[i + run] == first + static_cast<std::int64_t>(run)) {
      ++run;
    }
    std::memcpy(out + i * bytes, in + static_cast<std::size_t>(first) * bytes, run * bytes);
    i += run;
  }
}

}  // namespace

void pad(const void* in, void* out, std::span<const std::int64_t> shape,
         std::span<const std::int64_t> before, std::span<const std::int64_t> after, PadMode mode,
         const void* fill, std::int64_t element_bytes, Workers& workers) {
  const std::size_t rank = shape.size();
  const std::size_t bytes = static_cast<std::size_t>(element_bytes);
  if (rank == 0) {
    std::memcpy(out, in, bytes);
    return;
  }
  std::vector<std::vector<std::int64_t>> sources;
  std::vector<std::int64_t> strides(rank);
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  std::int64_t rows = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    sources.push_back(source_indices(shape[i], before[i], after[i], mode));
    if (i + 1 < rank) rows *= static_cast<std::int64_t>(sources[i].size());
  }
  const std::int64_t row_size = static_cast<std::int64_t>(sources.back().size());
  if (row_size == 0) return;
  workers.parallel_ranges(
      rows, std::max<std::int64_t>(1, task_elements / row_size),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          std::int64_t rest = row;
          std::int64_t offset = 0;
          bool is_filled = false;
          for (std::size_t i = rank - 1; i-- > 0;) {
            const std::int64_t size = static_cast<std::int64_t>(sources[i].size());
            const std::int64_t source = sources[i][static_cast<std::size_t>(rest % size)];
            rest /= size;
            is_filled |= source < 0;
            offset += source * strides[i];
          }
          const char* from =
              is_filled ? nullptr : static_cast<const char*>(in) + offset * element_bytes;
          pad_row(from, static_cast<char*>(out) + row * row_size * element_bytes, sources.back(),
                  static_cast<const char*>(fill), bytes);
        }
      });
}

}  // namespace ortool::cpu
