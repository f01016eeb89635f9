// Matrix product partition: the split of columns depends on k only, so that a packed b works for
// any m.
#include "providers/onednn/product_cut.hpp"

#include <algorithm>

namespace ortool::onednn {
namespace {

/// Multiplications per piece: about 100 microseconds, during which a panel of b stays in cache.
constexpr std::int64_t product_piece_work = 8'000'000;
constexpr std::int64_t packed_piece_rows = 64;
/// If b is not packed, oneDNN packs it again for each piece of rows.
constexpr std::int64_t unpacked_piece_rows = 256;
/// oneDNN's panels of b have up to 64 columns.
constexpr std::int64_t panel_columns = 64;

std::int64_t pieces_of(std::int64_t work, std::int64_t each, std::int64_t step) {
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

ProductCut cut_product(const cpu::GemmSizes& sizes, bool is_packed) {
  const std::int64_t fewest = is_packed ? packed_piece_rows : unpacked_piece_rows;
  ProductCut cut;
  cut.sizes = sizes;
  cut.columns = pieces_of(product_piece_work, fewest * sizes.k, panel_columns);
  const std::int64_t row_work = std::min(cut.columns, sizes.n) * sizes.k;
  cut.rows = std::max(pieces_of(product_piece_work, row_work, packed_piece_rows), fewest);
  return cut;
}

std::optional<PackedMatrix> pack_matrix(const ProductShape& shape, const float* b, bool has_bias,
                                        PrimitiveCache& cache, MemoryCap* cap, Workers& workers) {
  const ProductCut cut = cut_product(shape.sizes, true);
  PackedMatrix packed;
  std::array<PrimitivePtr, 2> reorders;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (!cut.has_columns(kind)) continue;
    const std::int64_t columns = cut.columns_of(kind);
    const std::int64_t rows = cut.rows_of(cut.has_rows(0) ? 0 : 1);
    const PrimitivePtr primitive =
        cache.product(make_product_request(shape, rows, columns, true, has_bias));
    if (!is_fast(primitive)) return std::nullopt;
    packed.layouts[kind] = primitive->operand_layout(1);
    packed.piece_bytes[kind] = (primitive->operand_bytes(1) + 63) / 64 * 64;
    reorders[kind] = cache.product_weights(make_product_request(shape, rows, columns, false, false),
                                           packed.layouts[kind]);
    if (reorders[kind] == nullptr || reorders[kind]->scratch_bytes() > 0) return std::nullopt;
  }
  const std::int64_t whole = shape.sizes.n / cut.columns;
  packed.bytes =
      AlignedBuffer(whole * packed.piece_bytes[0] + packed.piece_bytes[1], cap, "packed weights");
  workers.parallel_for(cut.column_pieces(), [&](std::int64_t piece) {
    const void* operands[] = {b + piece * cut.columns * shape.b_column,
                              packed.bytes.data() + piece * packed.piece_bytes[0]};
    reorders[piece < whole ? 0 : 1]->run(operands, nullptr);
  });
  return packed;
}

std::optional<ProductPrimitives> find_product_primitives(const ProductShape& shape,
                                                         const ProductCut& cut,
                                                         const PackedMatrix* packed, bool has_bias,
                                                         PrimitiveCache& cache) {
  ProductPrimitives result;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 2; ++column) {
      if (!cut.has_rows(row) || !cut.has_columns(column)) continue;
      const ProductRequest request = make_product_request(
          shape, cut.rows_of(row), cut.columns_of(column), packed != nullptr, has_bias);
      PrimitivePtr& primitive = result[row][column];
      primitive =
          cache.product(request, packed != nullptr ? packed->layouts[column] : VendorLayout());
      if (!is_fast(primitive)) return std::nullopt;
    }
  }
  return result;
}

}  // namespace ortool::onednn
