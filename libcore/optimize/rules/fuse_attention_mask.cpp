// Causal mask fusion: a mask of future positions becomes an attribute of Attention.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/optimize/rewrite/size_source.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/attention_patterns.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Subtracting this from a score makes its weight zero: exp(-30000) is 0 in every type, and
/// differences between scores are smaller.
constexpr double hides = -3e4;

/// Positions as a row or column: a Range with inserted axes of size 1.
Pattern positions(const std::string& name, Pattern start) {
  return op("Unsqueeze",
            {op("Range", {std::move(start), any("limit"), number(1)}).shared(), maybe(any())})
      .as(name)
      .shared();
}

/// Queries end where the keys end, so the first query follows the cached keys.
Pattern causal_mask() {
  const Pattern keys = positions("keys", number(0));
  const Pattern queries = positions("queries", any());
  const Pattern visible = any_of({op("LessOrEqual", {keys, queries}).shared(),
                                  op("GreaterOrEqual", {queries, keys}).shared(),
                                  op("Not", {op("Less", {queries, keys}).shared()}).shared(),
                                  op("Not", {op("Greater", {keys, queries}).shared()}).shared()});
  const Pattern hidden =
      any_of({op("Less", {queries, keys}).shared(), op("Greater", {keys, queries}).shared()});
  return any_of({op("Where", {visible, number(0), scalar("low")}).shared(),
                 op("Where", {hidden, scalar("low"), number(0)}).shared()});
}

/// Whether all dimensions but the last two are 1.
bool is_matrix(const Dimensions& dimensions) {
  for (std::size_t i = 0; i + 2 < dimensions.size(); ++i) {
    if (dimensions[i] != Dimension(1)) return false;
  }
  return dimensions.size() >= 2;
}

/// Whether a constant masks exactly the keys after each query's position.
bool is_triangle(const Tensor& mask, std::int64_t rows, std::int64_t columns, std::int64_t past) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const double number = element_as_double(mask, row * columns + column);
      if (column > row + past ? !(number <= hides) : number != 0) return false;
    }
  }
  return true;
}

/// The length of queries (0), or of the new keys (1).
const Dimension* length_of(const Node& attention, std::int64_t input) {
  const Dimensions* dimensions = dimensions_of(*attention.input(input));
  if (dimensions == nullptr || dimensions->size() < 2) return nullptr;
  return &(*dimensions)[dimensions->size() - 2];
}

Verdict can_be_causal(const Match& match) {
  if (read_op<Attention>(match.root()).is_causal) return no("it is already causal");
  const Value& mask = match["mask"];
  const Dimensions* scores = dimensions_of(mask);
  const Dimension* queries = length_of(match.root(), 0);
  const Dimension* keys = length_of(match.root(), 1);
  if (scores == nullptr || queries == nullptr || keys == nullptr || !are_equal(*queries, *keys))
    return no("the numbers of new keys and queries are not known to be equal");
  Dimension all_keys = *keys;
  if (const Value* past = match.find("past_key")) {
    const Dimensions* before = dimensions_of(*past);
    if (before == nullptr) return no("the length of the cache is unknown");
    all_keys = (*before)[2] + all_keys;
  }
  if (!is_matrix(*scores) || !are_equal((*scores)[scores->size() - 2], *queries) ||
      !are_equal(scores->back(), all_keys))
    return no("the mask is not one of all queries by all keys, the same for all heads");
  if (mask.is_constant()) {
    const std::int64_t rows = (*scores)[scores->size() - 2].number();
    const std::int64_t columns = scores->back().number();
    return is_triangle(mask.constant(), rows, columns, columns - rows)
               ? yes()
               : no("the mask hides keys other than those after a query's position");
  }
  if (match.number("low") > hides) return no("the mask does not hide keys completely");
  const Dimensions* rows = dimensions_of(match["queries"]);
  const Dimensions* columns = dimensions_of(match["keys"]);
  if (rows == nullptr || columns == nullptr || rows->size() < 2 || columns->size() < 2 ||
      rows->back() != Dimension(1) || (*columns)[columns->size() - 2] != Dimension(1))
    return no("query positions are not known to be a column and key positions a row");
  return yes();
}

/// Whether it is an ONNX operator whose mask has a single row for several queries.
bool has_one_mask_row(const Node& node) {
  if (!node.domain().empty() || !is_plain_attention(node) || node.input(3) == nullptr) return false;
  const Dimensions* mask = dimensions_of(*node.input(3));
  const Dimension* queries = length_of(node, 0);
  if (mask == nullptr || queries == nullptr || *queries == Dimension(1)) return false;
  return mask->size() < 2 || (*mask)[mask->size() - 2] == Dimension(1);
}

/// The shape to which a mask is expanded, so that it has a row per query.
Value& spread_shape(Replacement& replacement, std::size_t rank) {
  const Match& match = replacement.match();
  const Dimension queries = *length_of(match.root(), 0);
  Integers shape(rank, 1);
  if (queries.is_known()) {
    shape[rank - 2] = queries.number();
    return replacement.integers(std::move(shape));
  }
  const std::int64_t own_axis = rank_of(match["q"]) - 2;
  const SizeSource own{&match["q"], own_axis};
  Value& size = add_size(replacement, find_size(match.graph(), queries).value_or(own));
  Integers before(rank - 2, 1);
  std::vector<Value*> parts = {&size, &replacement.integers({1})};
  if (!before.empty()) parts.insert(parts.begin(), &replacement.integers(std::move(before)));
  return replacement.add("Concat", std::move(parts), {{"axis", std::int64_t{0}}});
}

}  // namespace

/// ONNX allows masks to broadcast; onnxruntime 1.31 requires a row per query.
Rule spread_attention_mask() {
  return {
      .name = "expand-attention-mask",
      .summary = "a mask with one row for all queries -> a mask with one row per query",
      .is_for_files = true,
      .pattern = plain_attention(any("q"), any("k"), any("v")).where_node(has_one_mask_row),
      .makes = {"Attention"},
      .also_replaces = attention_caches(),
      .replace = [](Replacement& replacement) -> Value& {
        AttentionInputs inputs = AttentionInputs::of(replacement.match());
        const auto rank =
            static_cast<std::size_t>(std::max<std::int64_t>(2, rank_of(*inputs.mask)));
        inputs.mask = &replacement.add("Expand", {inputs.mask, &spread_shape(replacement, rank)});
        return add_attention(replacement, inputs);
      }};
}

Rule fuse_causal_mask() {
  const Pattern mask = any_of({causal_mask(), constant()}).as("mask");
  return {.name = "fuse-causal-mask",
          .summary = "Attention with a mask that hides what comes later -> causal Attention",
          .pattern = op("Attention", {any("q"), any("k"), any("v"), mask, maybe(any("past_key")),
                                      maybe(any("past_value"))})
                         .as("attention")
                         .where_node(is_plain_attention),
          .makes = {"Attention"},
          .also_replaces = attention_caches(),
          .where = can_be_causal,
          .replace = [](Replacement& replacement) -> Value& {
            AttentionInputs inputs = AttentionInputs::of(replacement.match());
            inputs.mask = nullptr;
            return add_attention(replacement, inputs, {{"is_causal", std::int64_t{1}}});
          }};
}

}  // namespace ortool
