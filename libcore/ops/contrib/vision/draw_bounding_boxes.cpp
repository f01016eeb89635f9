// Schema and attributes of DrawBoundingBoxes.
#include "libcore/ops/contrib/vision/draw_bounding_boxes.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema DrawBoundingBoxes::schema = {
    "DrawBoundingBoxes",
    vision_extensions_domain,
    {{.since = 1,
      .inputs = {{"image", "tensor(uint8)"}, {"boxes", "tensor(float)"}},
      .outputs = {{"image_out", "tensor(uint8)"}},
      .attributes = {{"colour_by_classes", AttributeKind::integer, false, 1},
                     {"mode", AttributeKind::string, false, "XYXY"},
                     {"num_classes", AttributeKind::integer, false, 10},
                     {"thickness", AttributeKind::integer, false, 4}}}}};

void DrawBoundingBoxes::read(AttributeReader& attributes, int) {
  attributes.ignore("num_classes");
  coding = attributes.choice("mode", {"CENTER_XYWH", "XYWH", "XYXY"}, Coding::corners);
  thickness = attributes.integer_in("thickness", 4, 1, INT64_MAX);
  colors_are_of_classes = attributes.integer("colour_by_classes", 1) > 0;
}

void DrawBoundingBoxes::infer(InferContext& context) const {
  check_rank(context, 0, "image", 3);
  check_dimension("the number of channels", dimension_at(context, 0, 2), 3);
  check_rank(context, 1, "boxes", 2);
  check_dimension("the length of a box", dimension_at(context, 1, 1), 6);
  context.set_output(0, DataType::uint8, context.shape(0));
}

}  // namespace ortool
