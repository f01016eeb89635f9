// Triangles and diagonals of matrices.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct TriangleSizes {
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Keeps the elements on the diagonal and to its right (`upper`) or left, bytes of zero elsewhere.
/// Diagonal k is as far to the right of the main one; any k is fine. `out` may be `in`.
void triangle(const void* in, void* out, TriangleSizes sizes, std::int64_t k, bool upper,
              std::int64_t element_bytes, Workers& workers);

/// The element at `one` on diagonal k, bytes of zero elsewhere.
void diagonal(const void* one, void* out, TriangleSizes sizes, std::int64_t k,
              std::int64_t element_bytes, Workers& workers);

}  // namespace ortool::cpu
