// Rotary embedding fusion for cosine and sine tables, gathered by position or used directly.
#include <algorithm>
#include <cstring>
#include <optional>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/indexing/gather.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/rotary_halves.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// The table behind `rows`: itself, or the input of a Slice of some of its rows.
const Value* table_of(const Value& rows) {
  if (rows.is_constant()) return &rows;
  const Node* slice = rows.producer();
  if (slice == nullptr || slice->op_type() != "Slice" || !slice->domain().empty() ||
      !slice->input(0)->is_constant())
    return nullptr;
  const auto op = read_op<Slice>(*slice);
  const bool takes_rows =
      op.axes.is_known() && op.axes.value->size() == 1 && op.axes.value->front() == 0;
  return takes_rows ? slice->input(0) : nullptr;
}

/// The first half of each row, if the second half is bit-identical to it.
std::optional<Tensor> half_of(const Tensor& table, std::int64_t size) {
  const Shape& shape = table.shape();
  if (shape.rank() < 2 || shape[shape.rank() - 1] != size || size % 2 != 0) return std::nullopt;
  const std::int64_t rows = size == 0 ? 0 : table.element_count() / size;
  const auto half_bytes = static_cast<std::size_t>(bytes_of(table.type(), size / 2));
  Tensor half(table.type(), Shape({rows, size / 2}));
  const std::byte* from = table.bytes();
  std::byte* to = half.mutable_bytes();
  for (std::int64_t row = 0; row < rows; ++row, from += 2 * half_bytes, to += half_bytes) {
    if (std::memcmp(from, from + half_bytes, half_bytes) != 0) return std::nullopt;
    std::memcpy(to, from, half_bytes);
  }
  return half;
}

bool is_float_table(const Tensor& table, const Value& x) {
  return table.type() == element_of(x) && table.type() != DataType::string;
}

/// Whether these are position ids: one row per batch element, as long as x.
bool are_positions(const Match& match, const Dimensions& x) {
  const Value& positions = match["positions"];
  const Dimensions* shape = dimensions_of(positions);
  return element_of(positions) == DataType::int64 && shape != nullptr && shape->size() == 2 &&
         are_equal((*shape)[1], x[2]) && can_repeat(match.graph(), (*shape)[0], x[0]);
}

Verdict can_fuse_gathered(const Match& match) {
  if (Verdict verdict = rotates_halves(match); !verdict.is_yes) return verdict;
  const Dimensions& x = *dimensions_of(match["x"]);
  for (const char* name : {"cos", "sin"}) {
    const Value* table = table_of(match[name]);
    if (table == nullptr || table->constant().shape().rank() != 2 ||
        !is_float_table(table->constant(), match["x"]))
      return no("the cosines and sines are not constant tables");
    if (!half_of(table->constant(), x[3].number()))
      return no("the two halves of a row of angles are not equal");
    const Node& gather = match.node(std::string(name) + "_rows");
    const Dimensions* wide = dimensions_of(match[std::string(name) + "_wide"]);
    if (read_op<Gather>(gather).axis != 0 || wide == nullptr || wide->size() != 4 ||
        (*wide)[1] != Dimension(1))
      return no("the angles are not the same for all heads");
  }
  return are_positions(match, x) ? yes() : no("there is not known to be one position per row");
}

/// The half-width table, with the same rows selected.
Value& half_rows(Replacement& replacement, Value& rows, std::int64_t size) {
  const Value& table = *table_of(rows);
  Value& half = replacement.constant(*half_of(table.constant(), size));
  if (rows.is_constant()) return half;
  const Node& slice = *rows.producer();
  std::vector<Value*> inputs = {&half};
  for (std::int64_t i = 1; i < slice.input_count(); ++i) inputs.push_back(slice.input(i));
  return replacement.add_like(slice, std::move(inputs));
}

Verdict can_fuse_fixed(const Match& match) {
  if (Verdict verdict = rotates_halves(match); !verdict.is_yes) return verdict;
  const Dimensions& x = *dimensions_of(match["x"]);
  for (const char* name : {"cos", "sin"}) {
    const Tensor& table = match[name].constant();
    const Shape& shape = table.shape();
    const std::int64_t rank = shape.rank();
    if (!is_float_table(table, match["x"]) || rank > 4 || !half_of(table, x[3].number()))
      return no("the two halves of a row of angles are not equal");
    if (Dimension(shape[rank - 2]) != x[2] ||
        table.element_count() != shape[rank - 2] * shape[rank - 1])
      return no("the angles are not one per row for all heads");
  }
  return can_repeat(match.graph(), 1, x[0]) ? yes() : no("the batch size is unknown");
}

}  // namespace

Rule fuse_rotary_gathered() {
  const auto wide = [](const std::string& name) {
    const Pattern rows = op("Gather", {any(name), any("positions")}).as(name + "_rows").shared();
    return op("Unsqueeze", {rows, maybe(any())}).as(name + "_wide").shared();
  };
  return {.name = "fuse-rotary-gathered",
          .summary =
              "x Gather(cos, p) + (-upper half, lower half) Gather(sin, p) -> "
              "RotaryEmbedding(x, cos, sin, p)",
          .pattern = rotated_halves(wide("cos"), wide("sin")),
          .makes = {"RotaryEmbedding"},
          .where = can_fuse_gathered,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Dimensions& x = *dimensions_of(match["x"]);
            Value& positions = match["positions"];
            Value& repeated =
                repeated_rows(replacement, positions, dimensions_of(positions)->front(), x[0]);
            return replacement.add(
                "RotaryEmbedding",
                {&match["x"], &half_rows(replacement, match["cos"], x[3].number()),
                 &half_rows(replacement, match["sin"], x[3].number()), &repeated});
          }};
}

Rule fuse_rotary_fixed() {
  return {.name = "fuse-rotary-fixed",
          .summary =
              "x cos + (-upper half, lower half) sin of constant cos and sin -> "
              "RotaryEmbedding(x, cos, sin)",
          .pattern = rotated_halves(constant("cos"), constant("sin")),
          .makes = {"RotaryEmbedding"},
          .where = can_fuse_fixed,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Dimensions& x = *dimensions_of(match["x"]);
            const auto angles = [&](const char* name) -> Value& {
              const Tensor half = *half_of(match[name].constant(), x[3].number());
              Value& table =
                  replacement.constant(half.reshaped(Shape({1, half.shape()[0], half.shape()[1]})));
              return repeated_rows(replacement, table, 1, x[0]);
            };
            Value& cos = angles("cos");
            return replacement.add("RotaryEmbedding", {&match["x"], &cos, &angles("sin")});
          }};
}

}  // namespace ortool
