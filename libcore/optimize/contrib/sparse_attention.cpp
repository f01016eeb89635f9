// Decomposition of SparseAttention to GroupQueryAttention with the block mask as a bias, which has
// to be constant.
#include "libcore/ops/contrib/attention/sparse_attention.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// Layouts x blocks x blocks of 0, or -inf for a hidden block; nothing for invalid indices.
std::optional<Tensor> block_mask(const Tensor& rows, const Tensor& columns) {
  if (rows.shape().rank() != 2 || columns.shape().rank() != 2) return std::nullopt;
  const std::int64_t layouts = rows.shape()[0];
  const std::int64_t blocks = rows.shape()[1] - 1;
  const std::int64_t most = columns.shape()[1];
  if (blocks < 1 || columns.shape()[0] != layouts) return std::nullopt;
  const auto starts = rows.data<std::int32_t>();
  const auto places = columns.data<std::int32_t>();
  Tensor mask(DataType::float32, Shape({layouts, blocks, blocks}));
  const auto out = mask.mutable_data<float>();
  std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
  for (std::int64_t layout = 0; layout < layouts; ++layout) {
    for (std::int64_t row = 0; row < blocks; ++row) {
      const auto at = static_cast<std::size_t>(layout * (blocks + 1) + row);
      if (starts[at] < 0 || starts[at + 1] > most) return std::nullopt;
      for (std::int64_t i = starts[at]; i < starts[at + 1]; ++i) {
        const std::int64_t column = places[static_cast<std::size_t>(layout * most + i)];
        if (column < 0 || column >= blocks) return std::nullopt;
        out[static_cast<std::size_t>((layout * blocks + row) * blocks + column)] = 0;
      }
    }
  }
  return mask;
}

/// Small helpers that add nodes of integers.
struct Arithmetic {
  Decomposition& out;

  Value& number(std::int64_t value) const {
    Tensor made(DataType::int64, Shape());
    made.mutable_data<std::int64_t>()[0] = value;
    return out.constant(std::move(made));
  }
  Value& int64(Value& x) const {
    return out.add("Cast", {&x},
                   plain_attributes({{"to", static_cast<std::int64_t>(DataType::int64)}}));
  }
  /// A vector of one element as a scalar.
  Value& scalar(Value& x) const { return out.add("Reshape", {&x, &out.integers({})}); }
  Value& axis_size(Value& x, std::int64_t axis) const {
    return out.add("Gather", {&out.add("Shape", {&x}), &number(axis)});
  }
  Value& range(Value& end) const { return out.add("Range", {&number(0), &end, &number(1)}); }
};

std::vector<Attribute> axis_attribute(std::int64_t axis) {
  return plain_attributes({{"axis", axis}});
}

/// The bias: batch x heads x queries x keys.
Value& block_bias(Decomposition& out, const SparseAttention& op, Tensor mask) {
  const Arithmetic make{out};
  const std::int64_t layouts = mask.shape()[0];
  const std::int64_t blocks = mask.shape()[1];
  Value& length = make.axis_size(*out.input(0), 1);
  Value& total = make.scalar(make.int64(*out.input(7)));
  Value& lengths = make.int64(*out.input(8));
  // Where the first query of each batch is: behind past keys, or at 0 without any.
  Value& is_prompt = out.add("Equal", {&length, &total});
  Value& past = out.add("Sub", {&lengths, &length});
  Value& first = out.add("Where", {&is_prompt, &make.number(0), &past});
  Value& column = out.add_with_axes("Unsqueeze", first, {1});
  Value& positions = out.add("Add", {&column, &make.range(length)});
  Value& size = make.number(op.block_size);
  Value& rows = out.add("Min", {&out.add("Div", {&positions, &size}), &make.number(blocks - 1)});
  Value& key_blocks =
      out.add("Min", {&out.add("Div", {&make.range(total), &size}), &make.number(blocks - 1)});
  Value& of_rows = out.add("Gather", {&out.constant(std::move(mask)), &rows}, axis_attribute(1));
  std::vector<Attribute> order(1);
  order.front().name = "perm";
  order.front().value = std::vector<std::int64_t>{1, 0, 2, 3};
  Value& by_batch = out.add("Transpose", {&of_rows}, std::move(order));
  Value* bias = &out.add("Gather", {&by_batch, &key_blocks}, axis_attribute(3));
  const std::int64_t repeats[] = {1, op.query_heads / layouts, 1, 1};
  if (op.query_heads != layouts) bias = &out.add("Tile", {bias, &out.integers(repeats)});
  if (out.element(0) == DataType::float32) return *bias;
  return out.add("Cast", {bias},
                 plain_attributes({{"to", static_cast<std::int64_t>(out.element(0))}}));
}

Results sparse_attention(Decomposition& out) {
  const auto op = read_op<SparseAttention>(out.node());
  const Value& rows = *out.input(5);
  const Value& columns = *out.input(6);
  if (!rows.is_constant() || !columns.is_constant() || out.element(0) == DataType::undefined ||
      out.opset() < opset_of("Range"))
    return {};
  std::optional<Tensor> mask = block_mask(rows.constant(), columns.constant());
  if (!mask) return {};
  Value& bias = block_bias(out, op, std::move(*mask));
  Tensor one(DataType::int32, Shape());
  one.mutable_data<std::int32_t>()[0] = 1;
  Value& lengths = out.add("Sub", {out.input(8), &out.constant(std::move(one))});
  return out.add_contrib_many("GroupQueryAttention",
                              {out.input(0), out.input(1), out.input(2), out.input(3), out.input(4),
                               &lengths, out.input(7), out.input(9), out.input(10), nullptr, &bias},
                              {true, out.has_output(1), out.has_output(2)},
                              out.attributes_but({"sparse_block_size"}));
}

}  // namespace

std::span<const DecompositionRow> sparse_attention_decompositions() {
  static constexpr DecompositionRow rows[] = {{"SparseAttention", sparse_attention, 3}};
  return rows;
}

}  // namespace ortool
