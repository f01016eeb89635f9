// Removal of no-op nodes, which return their input unchanged.
#include <algorithm>
#include <numeric>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/refusals.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Value& take_input(Replacement& replacement) {
  return replacement["x"];
}

/// Explicit sizes imply scales of 1 when the shape does not change.
Verdict has_scales_of_one(const Node& node, const Resampling& op) {
  std::vector<double> scales;
  if (op.scales.is_known()) {
    scales.assign(op.scales.value->begin(), op.scales.value->end());
  } else if (op.scales.is_given() && node.input(op.scales.input) != nullptr) {
    const Tensor* tensor = constant_of(*node.input(op.scales.input));
    if (tensor == nullptr) return no("its scales are only known at run time");
    for (std::int64_t i = 0; i < tensor->element_count(); ++i)
      scales.push_back(element_as_double(*tensor, i));
  }
  const bool are_ones =
      std::all_of(scales.begin(), scales.end(), [](double scale) { return scale == 1; });
  return are_ones ? yes() : no("a scale is not 1");
}

constexpr const char* shape_may_change = "the shape is not known to stay the same";
constexpr const char* may_refuse = "it checks operands that are only known at run time";

Verdict has_equal_shape(const Match& match) {
  if (!have_equal_types(match["x"], match.result())) return no(shape_may_change);
  return has_inferred_operands(match.root()) ? yes() : no(may_refuse);
}

/// Whether it reshapes a vector of any length to a vector.
bool flattens_vector(const Match& match) {
  const Node& node = match.root();
  const Value* sizes =
      node.op_type() == "Reshape" && node.domain().empty() ? node.input(1) : nullptr;
  const Tensor* shape = sizes != nullptr ? constant_of(*sizes) : nullptr;
  return rank_of(match["x"]) == 1 && shape != nullptr && shape->element_count() == 1 &&
         element_as_int64(*shape, 0) == -1;
}

/// The same for a Reshape, Squeeze and the like, which also validate the shape of x.
Verdict is_same_reshape(const Match& match) {
  if (flattens_vector(match)) return yes();
  if (!have_equal_types(match["x"], match.result())) return no(shape_may_change);
  return takes_every_input(match.root()) ? yes() : no(may_refuse);
}

}  // namespace

Rule remove_identity() {
  return {.name = "remove-identity",
          .summary = "Identity(x) -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Identity", {any("x")}),
          .replace = take_input};
}

Rule remove_dropout() {
  return {.name = "remove-dropout",
          .summary = "Dropout(x) -> x, outside training",
          .level = OptimizeLevel::basic,
          .pattern = op("Dropout", {any("x"), maybe(any()), maybe(any())}),
          .where =
              [](const Match& match) {
                const auto dropout = read_op<Dropout>(match.root());
                const bool is_off = dropout.is_training.is_known()
                                        ? !*dropout.is_training.value
                                        : !dropout.is_training.is_given();
                return is_off ? yes() : no("it may be in training mode");
              },
          .replace = take_input};
}

Rule remove_same_cast() {
  return {.name = "remove-same-cast",
          .summary = "Cast or CastLike of x to its own type -> x",
          .level = OptimizeLevel::basic,
          .pattern = any_of({op("Cast", {any("x")}), op("CastLike", {any("x"), any()})}),
          .where =
              [](const Match& match) {
                const DataType type = element_of(match["x"]);
                const bool is_same =
                    type != DataType::undefined && type == element_of(match.result());
                return is_same ? yes() : no("the type changes");
              },
          .replace = take_input};
}

Rule remove_same_reshape() {
  return {.name = "remove-same-reshape",
          .summary = "Reshape, Flatten, Squeeze or Unsqueeze to x's own shape -> x",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op(OpTrait::reshapes, {any("x"), maybe(any())}),
          .where = is_same_reshape,
          .replace = take_input};
}

Rule remove_same_transpose() {
  return {.name = "remove-same-transpose",
          .summary = "Transpose that keeps the order of all elements and the shape -> x",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = op("Transpose", {any("x")}),
          .where =
              [](const Match& match) {
                const auto order = order_of(match.root());
                std::vector<std::int64_t> same(order ? order->size() : 0);
                std::iota(same.begin(), same.end(), 0);
                if (order && *order == same) return yes();
                const bool moves_nothing =
                    moves_ones_alone(match.root()) && have_equal_types(match["x"], match.result());
                return moves_nothing ? yes() : no("it moves axes");
              },
          .replace = take_input};
}

Rule remove_same_expand() {
  return {.name = "remove-same-expand",
          .summary = "Expand or Tile to x's own shape -> x",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = any_of({op("Expand", {any("x"), any()}), op("Tile", {any("x"), any()})}),
          .where = has_equal_shape,
          .replace = take_input};
}

/// Positive steps only, so that a slice of equal length is the identity.
Rule remove_same_slice() {
  return {.name = "remove-same-slice",
          .summary = "Slice that takes all of x -> x",
          .level = OptimizeLevel::basic,
          .evidence = Evidence::exhaustive,
          .pattern = any_op("Slice"),
          .where =
              [](const Match& match) {
                const auto slice = read_op<Slice>(match.root());
                if (slice.steps.is_given() && !slice.steps.is_known())
                  return no("its steps are only known at run time");
                const bool is_forward =
                    !slice.steps.is_known() ||
                    std::all_of(slice.steps.value->begin(), slice.steps.value->end(),
                                [](std::int64_t step) { return step > 0; });
                if (!is_forward) return no("its step is negative");
                if (!have_equal_types(*match.root().input(0), match.result()))
                  return no(shape_may_change);
                return has_inferred_operands(match.root()) ? yes() : no(may_refuse);
              },
          .replace = [](Replacement& replacement) -> Value& {
            return *replacement.match().root().input(0);
          }};
}

Rule remove_single_operand() {
  return {
      .name = "remove-single-operand",
      .summary =
          "Concat, Split, Sum, Mean, Max or Min with one operand or part -> that operand or part",
      .level = OptimizeLevel::basic,
      .pattern = any_op(OpTrait::forwards_single_operand),
      .where =
          [](const Match& match) {
            const Node& node = match.root();
            const bool is_single =
                node.op_type() == "Split" ? node.output_count() == 1 : node.input_count() == 1;
            if (!is_single) return no("it has several operands or parts");
            // Others check an axis.
            const bool is_checked =
                has_trait(node, OpTrait::elementwise) ||
                (have_equal_types(*node.input(0), match.result()) && has_inferred_operands(node));
            return is_checked ? yes() : no(may_refuse);
          },
      .replace = [](Replacement& replacement) -> Value& {
        return *replacement.match().root().input(0);
      }};
}

Rule remove_empty_pad() {
  return {.name = "remove-empty-pad",
          .summary = "Pad that adds nothing to x -> x",
          .level = OptimizeLevel::basic,
          .pattern = any_op("Pad"),
          .where =
              [](const Match& match) {
                const auto pad = read_op<Pad>(match.root());
                if (!pad.pads.is_known()) return no("its pads are only known at run time");
                const bool is_empty = std::all_of(pad.pads.value->begin(), pad.pads.value->end(),
                                                  [](std::int64_t each) { return each == 0; });
                if (!is_empty) return no("it adds padding");
                const bool has_axes = !pad.axes.is_given() || pad.axes.is_known();
                return has_axes && rank_of(*match.root().input(0)) >= 0 ? yes() : no(may_refuse);
              },
          .replace = [](Replacement& replacement) -> Value& {
            return *replacement.match().root().input(0);
          }};
}

/// Nearest-neighbor only, which copies elements; weighted sums may turn 0 * inf into NaN.
Rule remove_same_resize() {
  return {.name = "remove-same-resize",
          .summary = "Resize by nearest neighbor to x's own size -> x",
          .level = OptimizeLevel::basic,
          .pattern = any_of({any_op("Resize"), any_op("Upsample")}),
          .where =
              [](const Match& match) {
                const Node& node = match.root();
                const auto op = node.op_type() == "Resize"
                                    ? static_cast<Resampling>(read_op<Resize>(node))
                                    : static_cast<Resampling>(read_op<Upsample>(node));
                if (op.mode != Resampling::Mode::nearest) return no("it interpolates");
                if (op.coordinates == Resampling::Coordinates::tf_crop_and_resize)
                  return no("it may crop");
                if (Verdict verdict = has_scales_of_one(node, op); !verdict.is_yes) return verdict;
                if (!have_equal_types(*node.input(0), match.result())) return no(shape_may_change);
                return has_inferred_operands(node) ? yes() : no(may_refuse);
              },
          .replace = [](Replacement& replacement) -> Value& {
            return *replacement.match().root().input(0);
          }};
}

Rule remove_boundless_clip() {
  return {.name = "remove-boundless-clip",
          .summary = "Clip without bounds -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Clip", {any("x")}),
          .where =
              [](const Match& match) {
                const auto clip = read_op<Clip>(match.root());
                const bool is_free = !clip.low.is_given() && !clip.high.is_given();
                return is_free ? yes() : no("it has a bound");
              },
          .replace = take_input};
}

}  // namespace ortool
