// Matrix product partition: the split of columns depends on k only, so that a packed b works for
// any m.
#include "providers/onednn/product_partition.hpp"

#include <algorithm>

namespace ortool::onednn {
namespace {

/// Multiplications per piece: about 100 microseconds, during which a panel of b stays in cache.
constexpr std::int64_t product_tile_work = 8'000'000;
constexpr std::int64_t packed_tile_rows = 64;
/// If b is not packed, oneDNN packs it again for each piece of rows.
constexpr std::int64_t unpacked_tile_rows = 256;
/// oneDNN's panels of b have up to 64 columns.
constexpr std::int64_t panel_columns = 64;

std::int64_t tiles_of(std::int64_t work, std::int64_t each, std::int64_t step) {
  const std::int64_t count = (work + each - 1) / std::max<std::int64_t>(each, 1);
  return std::max((count + step - 1) / step * step, step);
}

ProductRequest make_product_request(const ProductShape& shape, std::int64_t m, std::int64_t n,
                                    bool is_packed, bool has_bias) {
  ProductRequest request;
  request.m = m;
  request.n = n;
  request.k = shape.sizes.k;
  request.a_row = shape.a_row;
  request.a_step = shape.a_step;
  request.b_row = is_packed ? 0 : shape.b_row;
  request.b_column = is_packed ? 1 : shape.b_column;
  request.c_row = shape.sizes.n;
  request.has_bias = has_bias ? 1 : 0;
  return request;
}

bool is_fast(const PrimitivePtr& primitive) {
  return primitive != nullptr && !primitive->is_reference();
}

}  // namespace

ProductPartition partition_product(const cpu::GemmSizes& sizes, bool is_packed) {
  const std::int64_t fewest = is_packed ? packed_tile_rows : unpacked_tile_rows;
  ProductPartition partition;
  partition.sizes = sizes;
  partition.columns = tiles_of(product_tile_work, fewest * sizes.k, panel_columns);
  const std::int64_t row_work = std::min(partition.columns, sizes.n) * sizes.k;
  partition.rows = std::max(tiles_of(product_tile_work, row_work, packed_tile_rows), fewest);
  return partition;
}

std::optional<PackedMatrix> pack_matrix(const ProductShape& shape, const float* b, bool has_bias,
                                        PrimitiveCache& cache, MemoryCap* cap, Workers& workers) {
  const ProductPartition partition = partition_product(shape.sizes, true);
  PackedMatrix packed;
  std::array<PrimitivePtr, 2> reorders;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (!partition.has_columns(kind)) continue;
    const std::int64_t columns = partition.columns_of(kind);
    const std::int64_t rows = partition.rows_of(partition.has_rows(0) ? 0 : 1);
    const PrimitivePtr primitive =
        cache.product(make_product_request(shape, rows, columns, true, has_bias));
    if (!is_fast(primitive)) return std::nullopt;
    packed.layouts[kind] = primitive->operand_layout(1);
    packed.tile_bytes[kind] = (primitive->operand_bytes(1) + 63) / 64 * 64;
    reorders[kind] = cache.product_weights(make_product_request(shape, rows, columns, false, false),
                                           packed.layouts[kind]);
    if (reorders[kind] == nullptr || reorders[kind]->scratch_bytes() > 0) return std::nullopt;
  }
  const std::int64_t whole = shape.sizes.n / partition.columns;
  packed.bytes =
      AlignedBuffer(whole * packed.tile_bytes[0] + packed.tile_bytes[1], cap, "packed weights");
  workers.parallel_for(partition.column_tiles(), [&](std::int64_t output_tile) {
    const void* operands[] = {b + output_tile * partition.columns * shape.b_column,
                              packed.bytes.data() + output_tile * packed.tile_bytes[0]};
    reorders[output_tile < whole ? 0 : 1]->run(operands, nullptr);
  });
  return packed;
}

std::optional<ProductPrimitives> find_product_primitives(const ProductShape& shape,
                                                         const ProductPartition& partition,
                                                         const PackedMatrix* packed, bool has_bias,
                                                         PrimitiveCache& cache) {
  ProductPrimitives result;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 2; ++column) {
      if (!partition.has_rows(row) || !partition.has_columns(column)) continue;
      const ProductRequest request = make_product_request(
          shape, partition.rows_of(row), partition.columns_of(column), packed != nullptr, has_bias);
      PrimitivePtr& primitive = result[row][column];
      primitive =
          cache.product(request, packed != nullptr ? packed->layouts[column] : SerializedDesc());
      if (!is_fast(primitive)) return std::nullopt;
    }
  }
  return result;
}

}  // namespace ortool::onednn
