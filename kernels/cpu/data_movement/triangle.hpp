// Triangles and diagonals of matrices (Trilu, EyeLike).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct TriangleSizes {
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Keeps the elements on and to the right of diagonal k (`upper`), or on and to the left of it, and
/// zeroes the others. Diagonal k is k columns to the right of the main one; any k is valid. `out`
/// may be `in`.
void triangle(const void* in, void* out, TriangleSizes sizes, std::int64_t k, bool upper,
              std::int64_t element_bytes, Workers& workers);

/// Writes the element at `one` on diagonal k, zeros elsewhere.
void diagonal(const void* one, void* out, TriangleSizes sizes, std::int64_t k,
              std::int64_t element_bytes, Workers& workers);

}  // namespace ortool::cpu
