// Strided copies: Slice, Transpose, Tile, Expand.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

// Elements are 1, 2, 4, 8 or 16 bytes; `out` is contiguous, must not overlap `in`, and has room for
// the product of the sizes. Strides are in elements.

/// out[i, j, ...] = in[i · strides[0] + j · strides[1] + ...]; strides may be negative or 0, and
/// `in` points to the element of index 0.
void copy_strided(const void* in, void* out, std::span<const std::int64_t> sizes,
                  std::span<const std::int64_t> strides, std::int64_t element_bytes,
                  Workers& workers);

/// Dimension i of the output is dimension permutation[i] of the input, which has shape `shape`.
void transpose(const void* in, void* out, std::span<const std::int64_t> shape,
               std::span<const std::int64_t> permutation, std::int64_t element_bytes,
               Workers& workers);

/// Repeats each dimension as often as `repeats` says.
void tile(const void* in, void* out, std::span<const std::int64_t> shape,
          std::span<const std::int64_t> repeats, std::int64_t element_bytes, Workers& workers);

enum class DepthOrder { depth_column_row, column_row_depth };

/// in: batch × channels × height × width with channels a multiple of block²; out: batch ×
/// channels / block² × height · block × width · block.
void depth_to_space(const void* in, void* out, std::span<const std::int64_t, 4> shape,
                    std::int64_t block, DepthOrder order, std::int64_t element_bytes,
                    Workers& workers);

/// in: batch × channels × height × width, both multiples of block; the inverse of depth_to_space in
/// the order depth_column_row.
void space_to_depth(const void* in, void* out, std::span<const std::int64_t, 4> shape,
                    std::int64_t block, std::int64_t element_bytes, Workers& workers);

/// Copies `rows` rows of `row_bytes`, which are in_stride_bytes and out_stride_bytes apart. A
/// concatenation takes one call per input, a split one call per output.
void copy_rows(const void* in, std::int64_t in_stride_bytes, void* out,
               std::int64_t out_stride_bytes, std::int64_t row_bytes, std::int64_t rows,
               Workers& workers);

}  // namespace ortool::cpu
