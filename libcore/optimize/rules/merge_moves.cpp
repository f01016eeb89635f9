// Merging of consecutive data movement: Transpose, Reshape, Squeeze, Slice, Concat, Cast.
#include <algorithm>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/tensor/cast.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/layout/reshape.hpp"
#include "libcore/ops/tensor/layout/squeeze.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/refusals.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/preserved_patterns.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

Verdict can_read_orders(const Match& match) {
  const auto second = order_of(match.root());
  const auto first = order_of(match.node("first"));
  if (!first || !second) return no("the rank is unknown");
  return first->size() == second->size() ? yes() : no("the permutations have different ranks");
}

/// Whether the root is a Reshape to a shape that copies nothing from its input.
bool has_own_shape(const Match& match) {
  const Node& node = match.root();
  if (node.op_type() != "Reshape") return false;
  const auto reshape = read_op<Reshape>(node);
  if (!reshape.shape.is_known()) return false;
  return reshape.zero_is_zero ||
         std::count(reshape.shape.value->begin(), reshape.shape.value->end(), 0) == 0;
}

/// The shape of the second Reshape, relative to the input of the first.
std::optional<Integers> merged_shape(const Match& match) {
  const Dimensions* to = dimensions_of(match.result());
  return to != nullptr ? written_shape(dimensions_of(match["x"]), *to) : std::nullopt;
}

constexpr const char* mask_stays =
    "other runtimes recognize an attention mask by its two Unsqueezes";

/// Whether a Transpose may be part of an attention with a single head, which is recognized by it.
bool may_split_heads(const Node& transpose) {
  const Node* producer = transpose.input(0)->producer();
  if (producer != nullptr && producer->op_type() == "MatMul") return true;
  const std::span<const Use> uses = transpose.output(0)->uses();
  return std::any_of(uses.begin(), uses.end(), [](const Use& use) {
    if (use.kind != Use::Kind::input) return false;
    const std::string_view op_type = use.node->op_type();
    return op_type == "MatMul" || op_type == "Mul" || op_type == "Div";
  });
}

/// Whether the node changes nothing but the shape.
bool is_reshape(const Node& node) {
  return node.op_type() != "Transpose" || (moves_ones_alone(node) && !may_split_heads(node));
}

/// Whether one Reshape rejects everything that the two nodes reject.
Verdict keeps_refusals(const Match& match) {
  const Node& root = match.root();
  const std::optional<std::int64_t> last = wanted_elements(root);
  if (last && last == wanted_elements(match.node("first"))) return yes();
  if (!takes_every_input(match.node("first")))
    return no("the first operator may reject inputs that the second alone would accept");
  if (takes_every_input(root) || has_own_shape(match)) return yes();
  const std::optional<Integers> shape = merged_shape(match);
  const bool is_open = !shape || std::count(shape->begin(), shape->end(), -1) != 0;
  if (!is_open && root.op_type() == "Reshape" && read_op<Reshape>(root).shape.is_known())
    return yes();
  return no("the second operator may reject inputs that a Reshape would accept");
}

Verdict can_merge_shapes(const Match& match) {
  if (!is_reshape(match.root()) || !is_reshape(match.node("first")))
    return no("the Transpose moves axes of several elements, or splits heads");
  if (match.root().op_type() == "Unsqueeze" && is_known_mask(match, match.result()))
    return no(mask_stays);
  if (match.graph().opset("") < opset_of_input("Reshape", "shape"))
    return no("before opset 5 the shape is an attribute");
  if (has_own_shape(match) || merged_shape(match)) return keeps_refusals(match);
  return no(
      "the new shape copies a dimension of the intermediate shape that is only known at run time");
}

/// The axes of a Squeeze or Unsqueeze, as nonnegative indices.
template <typename Op>
std::optional<Integers> axes_of(const Node& node, std::int64_t rank) {
  const auto op = read_op<Op>(node);
  if (!op.axes.is_known() || rank < 0) return std::nullopt;
  Integers axes = normalize_axes(*op.axes.value, rank);
  std::sort(axes.begin(), axes.end());
  return axes;
}

/// The axes that two Unsqueezes insert, relative to the final result.
std::optional<Integers> unsqueezed_axes(const Match& match) {
  const auto first = axes_of<Unsqueeze>(match.node("first"), rank_of(match["first"]));
  const auto second = axes_of<Unsqueeze>(match.root(), rank_of(match.result()));
  if (!first || !second) return std::nullopt;
  Integers axes = *second;
  std::int64_t old_axis = 0;
  for (std::int64_t axis = 0; axis < rank_of(match.result()); ++axis) {
    if (std::binary_search(second->begin(), second->end(), axis)) continue;
    if (std::binary_search(first->begin(), first->end(), old_axis++)) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

/// The axes that two Squeezes remove, relative to the input.
std::optional<Integers> squeezed_axes(const Match& match) {
  const auto first = axes_of<Squeeze>(match.node("first"), rank_of(match["x"]));
  const auto second = axes_of<Squeeze>(match.root(), rank_of(match["first"]));
  if (!first || !second) return std::nullopt;
  Integers axes = *first;
  std::int64_t axis_between = 0;
  for (std::int64_t axis = 0; axis < rank_of(match["x"]); ++axis) {
    if (std::binary_search(first->begin(), first->end(), axis)) continue;
    if (std::binary_search(second->begin(), second->end(), axis_between++)) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

/// Whether `to` represents every value of `from`, so that further conversions give equal results.
bool holds_all(DataType from, DataType to) {
  const auto rank = [](DataType type) {
    switch (type) {
      case DataType::float16:
      case DataType::bfloat16:
        return 1;
      case DataType::float32:
        return 2;
      case DataType::float64:
        return 3;
      case DataType::int8:
        return 11;
      case DataType::int16:
        return 12;
      case DataType::int32:
        return 13;
      case DataType::int64:
        return 14;
      default:
        return 0;
    }
  };
  const int a = rank(from);
  const int b = rank(to);
  return a != 0 && b > a && (a > 10) == (b > 10);
}

bool is_common(DataType type) {
  return type == DataType::boolean || type == DataType::float32 || type == DataType::float64 ||
         type == DataType::float16 || type == DataType::bfloat16 || type == DataType::int8 ||
         type == DataType::int16 || type == DataType::int32 || type == DataType::int64;
}

/// Starts, ends, axes and steps, if all are known.
std::optional<SliceParams> slice_params(const Node& node) {
  const auto slice = read_op<Slice>(node);
  const std::int64_t rank = node.input(0) != nullptr ? rank_of(*node.input(0)) : -1;
  if (!slice.starts.is_known() || !slice.ends.is_known() || rank < 0 ||
      (slice.axes.is_given() && !slice.axes.is_known()) ||
      (slice.steps.is_given() && !slice.steps.is_known()))
    return std::nullopt;
  SliceParams params{{}, *slice.starts.value, *slice.ends.value, {}};
  if (slice.axes.is_known()) {
    params.axes = normalize_axes(*slice.axes.value, rank);
  } else {
    for (std::size_t i = 0; i < params.starts.size(); ++i)
      params.axes.push_back(static_cast<std::int64_t>(i));
  }
  params.steps = slice.steps.is_known() ? *slice.steps.value : Integers(params.starts.size(), 1);
  return params;
}

/// Both slices as one; along an axis that both slice, bounds must be numbers.
std::optional<SliceParams> merged_slices(const Match& match) {
  const std::optional<SliceParams> first = slice_params(match.node("first"));
  const std::optional<SliceParams> second = slice_params(match.root());
  const Dimensions* from = dimensions_of(match["x"]);
  if (!first || !second || from == nullptr) return std::nullopt;
  SliceParams merged = *first;
  for (std::size_t i = 0; i < second->axes.size(); ++i) {
    const std::int64_t axis = second->axes[i];
    const auto found = std::find(merged.axes.begin(), merged.axes.end(), axis);
    if (found == merged.axes.end()) {
      merged.axes.push_back(axis);
      merged.starts.push_back(second->starts[i]);
      merged.ends.push_back(second->ends[i]);
      merged.steps.push_back(second->steps[i]);
      continue;
    }
    const auto k = static_cast<std::size_t>(found - merged.axes.begin());
    const Dimension& size = (*from)[static_cast<std::size_t>(axis)];
    if (!size.is_known() || merged.steps[k] <= 0 || second->steps[i] <= 0) return std::nullopt;
    const Slice::Range outer =
        Slice::range(size.number(), merged.starts[k], merged.ends[k], merged.steps[k]);
    const Slice::Range inner =
        Slice::range(outer.count, second->starts[i], second->ends[i], second->steps[i]);
    const std::int64_t step = outer.step * inner.step;
    merged.starts[k] = inner.count > 0 ? outer.start + inner.start * outer.step : 0;
    merged.ends[k] =
        inner.count > 0 ? merged.starts[k] + (inner.count - 1) * step + 1 : merged.starts[k];
    merged.steps[k] = inner.count > 1 ? step : 1;
  }
  return merged;
}

/// The Concat along the same axis that produces input `index`, if it has no other consumer.
const Node* inner_concat(const Node& concat, std::int64_t index) {
  const Value* input = concat.input(index);
  const Node* producer = input != nullptr ? input->producer() : nullptr;
  if (producer == nullptr || producer->op_type() != "Concat" || !producer->domain().empty() ||
      input->uses().size() != 1)
    return nullptr;
  const std::int64_t rank = rank_of(*input);
  const auto axis = [&](const Node& node) {
    const std::int64_t given = read_op<Concat>(node).axis;
    return given < 0 ? given + rank : given;
  };
  const bool is_same = read_op<Concat>(*producer).axis == read_op<Concat>(concat).axis ||
                       (rank >= 0 && axis(*producer) == axis(concat));
  return is_same ? producer : nullptr;
}

}  // namespace

Rule merge_transposes() {
  return {.name = "merge-transposes",
          .summary = "Transpose(Transpose(x)) -> Transpose(x)",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op("Transpose", {op("Transpose", {any("x")}).as("first").shared()}),
          .where = can_read_orders,
          .replace = [](Replacement& replacement) -> Value& {
            const auto first = *order_of(replacement.match().node("first"));
            const auto second = *order_of(replacement.match().root());
            std::vector<std::int64_t> order;
            for (const std::int64_t axis : second)
              order.push_back(first[static_cast<std::size_t>(axis)]);
            return replacement.add("Transpose", {&replacement["x"]}, {{"perm", order}});
          }};
}

Rule merge_reshapes() {
  const auto alternatives = [](const Pattern& x, bool is_first) {
    std::vector<Pattern> patterns = {op(OpTrait::reshapes, {x, maybe(any())}),
                                     op("Transpose", {x})};
    if (is_first) {
      for (Pattern& pattern : patterns) pattern = pattern.shared().as("first");
    }
    return any_of(std::move(patterns));
  };
  return {.name = "merge-reshapes",
          .summary =
              "Reshape, Flatten, Squeeze, Unsqueeze, or Transpose of axes of one element, of "
              "another one -> Reshape(x)",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = alternatives(alternatives(any("x"), true), false),
          .where = can_merge_shapes,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            if (!has_own_shape(match))
              return add_reshape(replacement, match["x"], *merged_shape(match));
            NewAttributes attributes;
            if (read_op<Reshape>(match.root()).zero_is_zero)
              attributes.push_back({"allowzero", std::int64_t{1}});
            return replacement.add("Reshape", {&match["x"], match.root().input(1)},
                                   std::move(attributes));
          }};
}

Rule merge_unsqueezes() {
  const Pattern first = op("Unsqueeze", {any("x"), maybe(any())}).as("first").shared();
  return {.name = "merge-unsqueezes",
          .summary = "Unsqueeze(Unsqueeze(x)) -> Unsqueeze(x)",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op("Unsqueeze", {first, maybe(any())}),
          .where =
              [](const Match& match) {
                if (is_known_mask(match, match.result())) return no(mask_stays);
                return unsqueezed_axes(match) ? yes() : no("the rank or the axes are unknown");
              },
          .replace = [](Replacement& replacement) -> Value& {
            return add_with_axes(replacement, "Unsqueeze", replacement["x"],
                                 *unsqueezed_axes(replacement.match()));
          }};
}

Rule merge_squeezes() {
  const Pattern first = op("Squeeze", {any("x"), maybe(any())}).as("first").shared();
  return {.name = "merge-squeezes",
          .summary = "Squeeze(Squeeze(x)) -> Squeeze(x)",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op("Squeeze", {first, maybe(any())}),
          .where =
              [](const Match& match) {
                return squeezed_axes(match) ? yes() : no("the rank or the axes are unknown");
              },
          .replace = [](Replacement& replacement) -> Value& {
            return add_with_axes(replacement, "Squeeze", replacement["x"],
                                 *squeezed_axes(replacement.match()));
          }};
}

/// A wider intermediate type represents the same values.
Rule merge_casts() {
  return {.name = "merge-casts",
          .summary = "Cast(Cast(x to a wider type)) -> Cast(x)",
          .level = OptimizeLevel::basic,
          .pattern = op("Cast", {op("Cast", {any("x")}).as("first").shared()}),
          .where =
              [](const Match& match) {
                if (!is_common(element_of(match.result())))
                  return no("the last type is not a common one");
                return holds_all(element_of(match["x"]), element_of(match["first"]))
                           ? yes()
                           : no("the intermediate type cannot represent every value of the first");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const auto to = static_cast<std::int64_t>(element_of(replacement.match().result()));
            return replacement.add("Cast", {&replacement["x"]}, {{"to", to}});
          }};
}

Rule merge_slices() {
  return {
      .name = "merge-slices",
      .summary = "Slice(Slice(x)) -> Slice(x)",
      .level = OptimizeLevel::basic,
      .evidence = Evidence::exhaustive,
      .pattern = op("Slice",
                    {op("Slice", {any("x"), maybe(any()), maybe(any()), maybe(any()), maybe(any())})
                         .as("first"),
                     maybe(any()), maybe(any()), maybe(any()), maybe(any())}),
      .where =
          [](const Match& match) {
            const std::optional<SliceParams> merged = merged_slices(match);
            if (!merged) return no("their combined range of an axis that both slice is unknown");
            return can_write(*merged, match.graph()) ? yes()
                                                     : no("steps were introduced in opset 10");
          },
      .replace = [](Replacement& replacement) -> Value& {
        return add_slice(replacement, replacement["x"], *merged_slices(replacement.match()));
      }};
}

Rule merge_concats() {
  return {
      .name = "merge-concats",
      .summary = "Concat(a, Concat(b, c)) along one axis -> Concat(a, b, c)",
      .level = OptimizeLevel::basic,
      .evidence = Evidence::exhaustive,
      .pattern = any_op("Concat"),
      .where =
          [](const Match& match) {
            for (std::int64_t i = 0; i < match.root().input_count(); ++i) {
              if (inner_concat(match.root(), i) != nullptr) return yes();
            }
            return no("no operand is a Concat along the same axis that nothing else reads");
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Node& root = replacement.match().root();
        std::vector<Value*> parts;
        for (std::int64_t i = 0; i < root.input_count(); ++i) {
          const Node* inner = inner_concat(root, i);
          if (inner == nullptr) {
            parts.push_back(root.input(i));
            continue;
          }
          replacement.stands_for(*inner);
          for (std::int64_t k = 0; k < inner->input_count(); ++k) parts.push_back(inner->input(k));
        }
        return replacement.add("Concat", std::move(parts), {{"axis", read_op<Concat>(root).axis}});
      }};
}

}  // namespace ortool
