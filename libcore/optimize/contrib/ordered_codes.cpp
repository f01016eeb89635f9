// Nodes on int8 codes, and orders of matrices as transposes of tiles.
#include "libcore/optimize/contrib/ordered_codes.hpp"

#include <numeric>
#include <vector>

#include "libcore/optimize/contrib/common_nodes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t opset_of_linear = 10;  // QuantizeLinear, DequantizeLinear

/// Rows and columns of a matrix as more axes, and those axes in the order of memory.
struct TilePlan {
  std::vector<std::int64_t> sizes;  ///< -1 for what the number of rows decides
  std::vector<std::int64_t> order;

  /// For tensors of `rank`, whose leading axes stay.
  TilePlan of_rank(std::int64_t rank) const {
    const auto leading = static_cast<std::size_t>(rank > 2 ? rank - 2 : 0);
    TilePlan plan = {std::vector<std::int64_t>(leading, 0), std::vector<std::int64_t>(leading)};
    std::iota(plan.order.begin(), plan.order.end(), std::int64_t{0});
    plan.sizes.insert(plan.sizes.end(), sizes.begin(), sizes.end());
    for (const std::int64_t axis : order)
      plan.order.push_back(axis + static_cast<std::int64_t>(leading));
    return plan;
  }

  TilePlan inverse() const {
    TilePlan plan = {sizes, order};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto from = static_cast<std::size_t>(order[i]);
      plan.sizes[i] = sizes[from];
      plan.order[from] = static_cast<std::int64_t>(i);
    }
    return plan;
  }
};

TilePlan tile_plan(MatrixLayout layout, std::int64_t columns) {
  const std::int64_t tiles = columns / 32;
  if (layout == MatrixLayout::columns_of_32) return {{-1, tiles, 32}, {1, 0, 2}};
  // Rows: eights, pairs within, even or odd. Columns: tiles, eights within, halves, elements.
  if (layout == MatrixLayout::rows_of_8) return {{-1, 4, 2, tiles, 4, 2, 4}, {3, 0, 2, 4, 5, 1, 6}};
  // Rows: tiles, eights within, pairs, even or odd.
  return {{-1, 4, 4, 2, tiles, 32}, {4, 0, 2, 1, 3, 5}};
}

}  // namespace

Value& OrderedCodes::scale(std::int64_t input) const {
  Value& given = *out_.input(input);
  return out_.rank(input) == 0 ? given : reshape(out_, given, {});
}

Value& OrderedCodes::quantized(Value& x, Value& scale) const {
  return add_since(out_, opset_of_linear, "QuantizeLinear",
                   {&x, &scale, &scalar(out_, DataType::int8, 0)});
}

Value& OrderedCodes::dequantized(Value& codes, Value& scale) const {
  return add_since(out_, opset_of_linear, "DequantizeLinear", {&codes, &scale});
}

Value& OrderedCodes::rounded(Value& x) const {
  return quantized(x, scalar(out_, DataType::float32, 1));
}

Value& OrderedCodes::scaled(Value& sums, Value& factor) const {
  return out_.add("Mul", {&cast_to(out_, sums, DataType::float32), &factor});
}

bool OrderedCodes::has_tiles(MatrixLayout layout) {
  return layout != MatrixLayout::rows && layout != MatrixLayout::columns;
}

Value& OrderedCodes::to_layout(Value& x, std::int64_t rank, MatrixLayout layout,
                               std::int64_t columns) const {
  if (layout == MatrixLayout::rows || (layout == MatrixLayout::columns && rank < 2)) return x;
  Value& shape = out_.add("Shape", {&x});
  const TilePlan rows = {{0, 0}, {1, 0}};
  if (layout == MatrixLayout::columns)
    return out_.add("Reshape", {&transpose(out_, x, rows.of_rank(rank).order), &shape});
  const TilePlan plan = tile_plan(layout, columns).of_rank(rank);
  return out_.add("Reshape", {&transpose(out_, reshape(out_, x, plan.sizes), plan.order), &shape});
}

Value& OrderedCodes::from_layout(Value& x, std::int64_t rank, MatrixLayout layout,
                                 std::int64_t columns) const {
  if (layout == MatrixLayout::rows || (layout == MatrixLayout::columns && rank < 2)) return x;
  Value& shape = out_.add("Shape", {&x});
  if (layout == MatrixLayout::columns) {
    const std::vector<std::int64_t> swapped = TilePlan{{0, 0}, {1, 0}}.of_rank(rank).order;
    Value& sizes = gather(out_, shape, out_.integers(swapped), 0);
    return transpose(out_, out_.add("Reshape", {&x, &sizes}), swapped);
  }
  const TilePlan plan = tile_plan(layout, columns).of_rank(rank).inverse();
  return out_.add("Reshape", {&transpose(out_, reshape(out_, x, plan.sizes), plan.order), &shape});
}

}  // namespace ortool
