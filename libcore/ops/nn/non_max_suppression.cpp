// Versions of NonMaxSuppression; the number of selected boxes depends on the data.
#include "libcore/ops/nn/non_max_suppression.hpp"

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> non_max_suppression_inputs = {
    {"boxes", "tensor(float)"},
    {"scores", "tensor(float)"},
    {"max_output_boxes_per_class", "tensor(int64)", Formal::Count::optional},
    {"iou_threshold", "tensor(float)", Formal::Count::optional},
    {"score_threshold", "tensor(float)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> non_max_suppression_attributes = {
    {"center_point_box", AttributeKind::integer, false, 0}};

constinit const OpSchema NonMaxSuppression::schema = {
    "NonMaxSuppression",
    "",
    {{.since = 10,
      .inputs = non_max_suppression_inputs,
      .outputs = {{"selected_indices", "tensor(int64)"}},
      .attributes = non_max_suppression_attributes},
     {.since = 11,
      .inputs = non_max_suppression_inputs,
      .outputs = {{"selected_indices", "tensor(int64)"}},
      .attributes = non_max_suppression_attributes}}};

void NonMaxSuppression::read(AttributeReader& attributes, int) {
  center_point_box = attributes.flag("center_point_box");
}

void NonMaxSuppression::infer(InferContext& context) const {
  check_rank(context, 0, "boxes", 3);
  check_rank(context, 1, "scores", 3);
  check_dimension("the length of a box", dimension_at(context, 0, 2), 4);
  check_dimension("the batch of 'scores'", dimension_at(context, 1, 0),
                  dimension_at(context, 0, 0));
  check_dimension("the number of scores", dimension_at(context, 1, 2), dimension_at(context, 0, 1));
  check_single(context, 2, "max_output_boxes_per_class");
  check_single(context, 3, "iou_threshold");
  check_single(context, 4, "score_threshold");
  context.set_output(0, DataType::int64, Dimensions{Dimension(), 3});
}

}  // namespace ortool
