// Rotary position embedding fusion from arithmetic.
#include <optional>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/attention_patterns.hpp"
#include "libcore/optimize/rules/rotary_halves.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

bool is_last_axis(const Node& concat, const Value& value) {
  const std::int64_t axis = read_op<Concat>(concat).axis;
  return axis == -1 || axis == rank_of(value) - 1;
}

/// Cosines or sines of adjacent pairs: length x 1 x half, or with a leading batch axis (or 1).
bool are_angles_of_rows(const Value& angles, const Dimensions& rows, const Graph& graph) {
  const Dimensions* dimensions = dimensions_of(angles);
  if (dimensions == nullptr || dimensions->size() < 3 || dimensions->size() > 4) return false;
  const std::size_t first = dimensions->size() - 3;
  const Dimension have = first == 0 ? Dimension(1) : dimensions->front();
  return are_equal((*dimensions)[first], rows[1]) && (*dimensions)[first + 1] == Dimension(1) &&
         are_equal((*dimensions)[first + 2] * 2, rows[3]) && can_repeat(graph, have, rows[0]);
}

Value& angles_of_rows(Replacement& replacement, Value& angles, const Dimensions& rows) {
  if (rank_of(angles) == 3)
    return repeated_rows(replacement, add_transpose(replacement, angles, {1, 0, 2}), 1, rows[0]);
  return repeated_rows(replacement, add_with_axes(replacement, "Squeeze", angles, {2}),
                       dimensions_of(angles)->front(), rows[0]);
}

/// Batch, length, heads and head size, according to the pairs; x may have merged heads.
std::optional<Dimensions> rows_of(const Match& match) {
  const Dimensions* x = dimensions_of(match["x"]);
  const Dimensions* pairs = dimensions_of(match["pairs"]);
  if (x == nullptr || pairs == nullptr || pairs->size() != 5 || x->size() < 3 ||
      x->size() > heads_rank || !(*pairs)[2].is_known() || !(*pairs)[3].is_known() ||
      !are_equal((*x)[0], (*pairs)[0]) || !are_equal((*x)[1], (*pairs)[1]))
    return std::nullopt;
  const Dimension size = (*pairs)[3] * 2;
  const bool is_cut = x->size() == heads_rank;
  if (is_cut && (!are_equal((*x)[2], (*pairs)[2]) || !are_equal((*x)[3], size)))
    return std::nullopt;
  if (!is_cut && !are_equal((*x)[2], (*pairs)[2] * size)) return std::nullopt;
  return Dimensions{(*pairs)[0], (*pairs)[1], (*pairs)[2], size};
}

Verdict can_fuse_pairs(const Match& match) {
  if (!is_float_tensor(match["x"])) return no("its type is not a float");
  const std::optional<Dimensions> rows = rows_of(match);
  if (!rows) return no("the heads are unknown");
  const Dimensions* pairs = dimensions_of(match["pairs"]);
  if ((*pairs)[4] != Dimension(2) || rank_of(match["even"]) != heads_rank ||
      !is_last_axis(match.node("joined"), match["joined"]) || rank_of(match["joined"]) != 5 ||
      dimensions_of(match["joined"])->back() != Dimension(2))
    return no("the elements are not split into pairs and joined again");
  const Dimensions* result = dimensions_of(match.result());
  if (result == nullptr || !are_equal(*result, *rows))
    return no("the heads are not known to keep their shape");
  for (const char* name : {"cos", "sin"}) {
    if (!are_angles_of_rows(match[name], *rows, match.graph()))
      return no("the angles are not known to be one per row and pair");
  }
  return yes();
}

Verdict can_fuse_halves(const Match& match) {
  if (Verdict verdict = rotates_halves(match); !verdict.is_yes) return verdict;
  const Dimensions& x = *dimensions_of(match["x"]);
  const Dimensions* angles = dimensions_of(match["angles"]);
  if (angles == nullptr || angles->size() != 3) return no("the angles are unknown");
  if (!is_last_axis(match.node("both"), match["both"]) || !are_equal((*angles)[2] * 2, x[3]) ||
      !are_equal((*angles)[1], x[2]))
    return no("the angles are not known to be one per row and pair");
  for (const char* name : {"cos", "sin"}) {
    const Dimensions* wide = dimensions_of(match[name]);
    if (wide == nullptr || wide->size() != heads_rank || (*wide)[1] != Dimension(1))
      return no("the angles are not the same for all heads");
  }
  return can_repeat(match.graph(), (*angles)[0], x[0]) ? yes()
                                                       : no("the angles have another batch size");
}

}  // namespace

/// Each pair of adjacent elements rotated by an angle of its row, https://arxiv.org/abs/2104.09864.
Rule fuse_rotary_pairs() {
  const Pattern pairs = op("Reshape", {any("x"), any()}).as("pairs");
  const auto part = [&](std::int64_t index) {
    return op("Squeeze", {op("Split", {pairs, maybe(any())}).output(index), maybe(any())});
  };
  const Pattern even = part(0).as("even");
  const Pattern odd = part(1).as("odd");
  const Pattern cos = any("cos");
  const Pattern sin = any("sin");
  const Pattern first = op("Sub", {op("Mul", {even, cos}), op("Mul", {odd, sin})});
  const Pattern second = op("Add", {op("Mul", {even, sin}), op("Mul", {odd, cos})});
  const Pattern joined = op("Concat", {op("Unsqueeze", {first, maybe(any())}),
                                       op("Unsqueeze", {second, maybe(any())})})
                             .as("joined");
  return {.name = "fuse-rotary-pairs",
          .summary = "pairs (a, b) -> (a cos - b sin, a sin + b cos) -> RotaryEmbedding(x)",
          .pattern = op("Reshape", {joined, any()}),
          .makes = {"RotaryEmbedding"},
          .where = can_fuse_pairs,
          .replace = [](Replacement& replacement) -> Value& {
            Value& x = replacement["x"];
            const Dimensions rows = *rows_of(replacement.match());
            const std::int64_t heads = rows[2].number();
            const std::int64_t size = rows[3].number();
            Value& packed = rank_of(x) == 3 ? x : add_reshape(replacement, x, {0, 0, heads * size});
            Value& transposed =
                replacement.add("RotaryEmbedding",
                                {&packed, &angles_of_rows(replacement, replacement["cos"], rows),
                                 &angles_of_rows(replacement, replacement["sin"], rows)},
                                {{"interleaved", std::int64_t{1}}, {"num_heads", heads}});
            return add_reshape(replacement, transposed, {0, 0, heads, size});
          }};
}

/// The same for pairs half a head apart, as in Hugging Face's models.
Rule fuse_rotary_halves() {
  const Pattern both = op("Concat", {any("angles"), any("angles")}).as("both").shared();
  const auto wide = [&](const char* function, const char* name) {
    return op("Unsqueeze", {op(function, {both}).shared(), maybe(any())}).as(name).shared();
  };
  return {.name = "fuse-rotary-halves",
          .summary = "x cos + (-upper half, lower half) sin -> RotaryEmbedding(x)",
          .pattern = rotated_halves(wide("Cos", "cos"), wide("Sin", "sin")),
          .makes = {"RotaryEmbedding"},
          .where = can_fuse_halves,
          .replace = [](Replacement& replacement) -> Value& {
            Value& angles = replacement["angles"];
            const Dimension have = dimensions_of(angles)->front();
            const Dimension batch = dimensions_of(replacement["x"])->front();
            Value& cos = repeated_rows(replacement, replacement.add("Cos", {&angles}), have, batch);
            Value& sin = repeated_rows(replacement, replacement.add("Sin", {&angles}), have, batch);
            return replacement.add("RotaryEmbedding", {&replacement["x"], &cos, &sin});
          }};
}

}  // namespace ortool
