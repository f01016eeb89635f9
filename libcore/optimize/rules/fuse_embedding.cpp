// Embedding fusion: gathered table rows, their sum and layer normalization become one operator.
#include <array>
#include <string>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/tensor/indexing/gather.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {
namespace {

/// An addend: rows of a table, or constant rows such as those of all positions.
struct TermNames {
  const char* rows;  ///< the result of Gather
  const char* table;
  const char* indices;
};

constexpr std::array<TermNames, 3> terms = {
    {{"rows_a", "a", "indices_a"}, {"rows_b", "b", "indices_b"}, {"rows_c", "c", "indices_c"}}};

Pattern term_of(const TermNames& names) {
  return any_of(
      {op("Gather", {any(names.table), any(names.indices)}).as(names.rows), constant(names.table)});
}

/// Whether the addend consists of rows of `size` elements that can be read in place.
Verdict has_rows(const Match& match, const TermNames& names, const Dimension& size) {
  const Value& table = match[names.table];
  // A quantized table is best read as such.
  if (!table.is_constant()) return no(format("the table '{}' is not a constant", table.name()));
  const Dimensions* dimensions = dimensions_of(table);
  if (dimensions == nullptr || dimensions->empty() || !are_equal(dimensions->back(), size))
    return no(format("the rows of '{}' are not as long as the sum's", table.name()));
  if (match.find(names.indices) == nullptr) return yes();
  if (dimensions->size() != 2) return no(format("'{}' is not a table of rows", table.name()));
  if (normalize_axis(read_op<Gather>(match.node(names.rows)).axis, 2) != 0)
    return no(format("'{}' selects columns, not rows", match.node(names.rows).name()));
  return yes();
}

Verdict has_embeddings(const Match& match) {
  if (element_of(match["sum"]) != DataType::float32) return no("the sum is not float32");
  const Dimensions* shape = dimensions_of(match["sum"]);
  if (shape == nullptr || shape->empty()) return no("the rank of the sum is unknown");
  const std::int64_t axis = read_op<LayerNormalization>(match.root()).axis;
  if (axis != -1 && axis != static_cast<std::int64_t>(shape->size()) - 1)
    return no("more than the last axis is normalized");
  const Dimension& size = shape->back();
  for (const char* name : {"scale", "bias"}) {
    const Value* row = match.find(name);
    if (row == nullptr) continue;
    const Dimensions* dimensions = dimensions_of(*row);
    if (dimensions == nullptr || dimensions->size() != 1 || !are_equal(dimensions->front(), size))
      return no(format("'{}' does not have the length of the normalized axis", row->name()));
  }
  bool has_indices = false;
  for (const TermNames& names : terms) {
    if (match.find(names.table) == nullptr) continue;
    const Verdict verdict = has_rows(match, names, size);
    if (!verdict.is_yes) return verdict;
    has_indices = has_indices || match.find(names.indices) != nullptr;
  }
  return has_indices ? yes() : no("no rows are selected by indices");
}

}  // namespace

/// Word, position and segment embeddings, added as in BERT, https://arxiv.org/abs/1810.04805.
Rule fuse_embed_layer_norm() {
  const Pattern two = op("Add", {term_of(terms[0]), term_of(terms[1])});
  const Pattern sum = any_of({op("Add", {two, term_of(terms[2])}), two}).as("sum");
  return {.name = "fuse-embed-layer-norm",
          .summary =
              "LayerNormalization(Gather(a, i) + Gather(b, j) (+ Gather(c, k))) -> "
              "EmbedLayerNormalization, with the sum",
          .level = OptimizeLevel::all,
          .pattern = op("LayerNormalization", {sum, any("scale"), maybe(any("bias"))}),
          .makes = {"EmbedLayerNormalization"},
          .also_replaces = {"sum"},
          .where = has_embeddings,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            std::vector<Value*> inputs = {&match["scale"], match.find("bias")};
            for (const TermNames& names : terms) {
              inputs.push_back(match.find(names.table));
              inputs.push_back(match.find(names.indices));
            }
            const float epsilon = read_op<LayerNormalization>(match.root()).epsilon;
            const std::vector<Value*> made = replacement.add_many(
                "EmbedLayerNormalization", std::move(inputs), {{"epsilon", epsilon}}, 2);
            replacement.also_replace("sum", *made[1]);
            return *made[0];
          }};
}

}  // namespace ortool
