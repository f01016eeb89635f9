// Schema, attributes and shape of NMSRotated.
#include "libcore/ops/contrib/vision/nms_rotated.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema NmsRotated::schema = {
    "NMSRotated",
    mmdeploy_domain,
    {{.since = 1,
      .inputs = {{"boxes", "tensor(float)"}, {"scores", "tensor(float)"}},
      .outputs = {{"indices", "tensor(int64)"}},
      .attributes = {{"iou_threshold", AttributeKind::float_number, true},
                     {"score_threshold", AttributeKind::float_number, true}}}}};

void NmsRotated::read(AttributeReader& attributes, int) {
  iou_threshold = attributes.number("iou_threshold");
  score_threshold = attributes.number("score_threshold");
}

void NmsRotated::infer(InferContext& context) const {
  check_rank(context, 0, "boxes", 3);
  check_rank(context, 1, "scores", 3);
  check_dimension("the length of a box", dimension_at(context, 0, 2), 5);
  check_dimension("the batch of 'scores'", dimension_at(context, 1, 0),
                  dimension_at(context, 0, 0));
  check_dimension("the number of boxes with scores", dimension_at(context, 1, 2),
                  dimension_at(context, 0, 1));
  context.set_output(0, DataType::int64, Dimensions{context.unknown_dimension(), 3});
}

}  // namespace ortool
