// Matrix product partition: pieces that oneDNN computes one by one, by the problem size only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "providers/onednn/primitive_cache.hpp"

namespace ortool::onednn {

/// Layout of the operands of equally shaped products: strides in floats.
struct ProductShape {
  cpu::GemmSizes sizes;
  std::int64_t a_row = 0;
  std::int64_t a_step = 1;
  std::int64_t b_row = 0;
  std::int64_t b_column = 1;
};

/// Rows and columns of c per piece: whole pieces, then the remainder. A packed b is split alike for
/// every m.
struct ProductPartition {
  cpu::GemmSizes sizes;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  std::int64_t row_tiles() const { return (sizes.m + rows - 1) / rows; }
  std::int64_t column_tiles() const { return (sizes.n + columns - 1) / columns; }
  std::int64_t output_tiles() const { return row_tiles() * column_tiles(); }
  /// Rows of a piece of kind 0 (whole) or 1 (the remainder, which may be empty).
  std::int64_t rows_of(std::size_t kind) const { return kind == 0 ? rows : sizes.m % rows; }
  std::int64_t columns_of(std::size_t kind) const {
    return kind == 0 ? columns : sizes.n % columns;
  }
  bool has_rows(std::size_t kind) const { return kind == 0 ? sizes.m >= rows : rows_of(1) > 0; }
  bool has_columns(std::size_t kind) const {
    return kind == 0 ? sizes.n >= columns : columns_of(1) > 0;
  }
};

ProductPartition partition_product(const cpu::GemmSizes& sizes, bool is_packed);

/// b in oneDNN's own layouts, by kind of columns; pieces are consecutive.
struct PackedMatrix {
  std::array<SerializedDesc, 2> layouts;
  std::array<std::int64_t, 2> tile_bytes = {0, 0};
  AlignedBuffer bytes;
};

/// Packs b for products like `shape`. Empty if oneDNN has no fast code.
std::optional<PackedMatrix> pack_matrix(const ProductShape& shape, const float* b, bool has_bias,
                                        PrimitiveCache& cache, MemoryCap* cap, Workers& workers);

/// The primitives for each kind of rows, then of columns; null if no piece has the kind. Empty if
/// oneDNN has no fast code for one of them. `packed` may be null.
using ProductPrimitives = std::array<std::array<PrimitivePtr, 2>, 2>;
std::optional<ProductPrimitives> find_product_primitives(const ProductShape& shape,
                                                         const ProductPartition& partition,
                                                         const PackedMatrix* packed, bool has_bias,
                                                         PrimitiveCache& cache);

}  // namespace ortool::onednn
