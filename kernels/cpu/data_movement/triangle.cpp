// Trilu and EyeLike by rows: one part of each row is copied, the other zeroed.
#include "kernels/cpu/data_movement/triangle.hpp"

#include <algorithm>
#include <cstring>

namespace ortool::cpu {
namespace {

constexpr std::int64_t triangle_task_bytes = 131072;

/// Calls body(row of its matrix, address of the row) for all rows.
template <typename Body>
void for_matrix_rows(TriangleSizes sizes, std::int64_t row_bytes, Workers& workers, Body body) {
  if (row_bytes == 0) return;
  workers.parallel_ranges(sizes.matrices * sizes.rows,
                          std::max<std::int64_t>(1, triangle_task_bytes / row_bytes),
                          [&](std::int64_t begin, std::int64_t end) {
                            std::int64_t row = begin % sizes.rows;
                            for (std::int64_t i = begin; i < end; ++i) {
                              body(row, i * row_bytes);
                              row = row + 1 < sizes.rows ? row + 1 : 0;
                            }
                          });
}

/// Clamps k: beyond these bounds, every diagonal misses the matrix alike.
std::int64_t bounded_diagonal(std::int64_t k, TriangleSizes sizes) {
  return std::clamp(k, -sizes.rows - 1, sizes.columns + 1);
}

}  // namespace

void triangle(const void* in, void* out, TriangleSizes sizes, std::int64_t k, bool upper,
              std::int64_t element_bytes, Workers& workers) {
  const std::int64_t shift = bounded_diagonal(k, sizes);
  const std::int64_t row_bytes = sizes.columns * element_bytes;
  for_matrix_rows(sizes, row_bytes, workers, [&](std::int64_t row, std::int64_t offset) {
    const char* from = static_cast<const char*>(in) + offset;
    char* to = static_cast<char*>(out) + offset;
    const std::int64_t cut =
        std::clamp<std::int64_t>(row + shift + (upper ? 0 : 1), 0, sizes.columns) * element_bytes;
    const std::int64_t kept_begin = upper ? cut : 0;
    const std::int64_t kept_end = upper ? row_bytes : cut;
    if (from != to) {
      std::memcpy(to + kept_begin, from + kept_begin,
                  static_cast<std::size_t>(kept_end - kept_begin));
    }
    std::memset(to, 0, static_cast<std::size_t>(kept_begin));
    std::memset(to + kept_end, 0, static_cast<std::size_t>(row_bytes - kept_end));
  });
}

void diagonal(const void* one, void* out, TriangleSizes sizes, std::int64_t k,
              std::int64_t element_bytes, Workers& workers) {
  const std::int64_t shift = bounded_diagonal(k, sizes);
  const std::int64_t row_bytes = sizes.columns * element_bytes;
  for_matrix_rows(sizes, row_bytes, workers, [&](std::int64_t row, std::int64_t offset) {
    char* to = static_cast<char*>(out) + offset;
    std::memset(to, 0, static_cast<std::size_t>(row_bytes));
    const std::int64_t column = row + shift;
    if (column < 0 || column >= sizes.columns) return;
    std::memcpy(to + column * element_bytes, one, static_cast<std::size_t>(element_bytes));
  });
}

}  // namespace ortool::cpu
