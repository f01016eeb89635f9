// Attributes and shapes of BatchedNMS_TRT and TRTBatchedNMS, and the latter's schema.
#include "libcore/ops/contrib/vision/batched_nms.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/vision/detection_shapes.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema TrtBatchedNms::schema = {
    "TRTBatchedNMS",
    mmdeploy_domain,
    {{.since = 1,
      .inputs = {{"boxes", "tensor(float)"}, {"scores", "tensor(float)"}},
      .outputs = {{"dets", "tensor(float)"},
                  {"labels", "tensor(int32)"},
                  {"index", "tensor(int32)", Formal::Count::optional}},
      .attributes = {{"background_label_id", AttributeKind::integer, false, -1},
                     {"clip_boxes", AttributeKind::integer, false, 1},
                     {"iou_threshold", AttributeKind::float_number, true},
                     {"is_normalized", AttributeKind::integer, false, 1},
                     {"keep_topk", AttributeKind::integer, true},
                     {"num_classes", AttributeKind::integer, true},
                     {"return_index", AttributeKind::integer, false, 0},
                     {"score_threshold", AttributeKind::float_number, true},
                     {"topk", AttributeKind::integer, true}}}}};

Dimension ClasswiseNms::detections(const InferContext& context) const {
  return most < 0 ? dimension_at(context, 1, 1) : Dimension(most);
}

void ClasswiseNms::check_operands(const InferContext& context) const {
  check_detection_operands(context);
  check_rank(context, 0, "boxes", 4);
  check_dimension("the number of classes with scores", dimension_at(context, 1, 2), classes);
}

void BatchedNms::read(AttributeReader& attributes, int) {
  // Boxes are shared if they have one class, whatever the attribute says; the bits of sorted scores
  // are a matter of speed.
  for (const char* unused : {"shareLocation", "scoreBits", "plugin_version", "plugin_namespace"})
    attributes.ignore(unused);
  classes = attributes.integer_in("numClasses", 0, 0, max_detections);
  background = attributes.integer("backgroundLabelId", -1);
  most_of_class = attributes.integer_in("topK", -1, -1, max_detections);
  most = attributes.integer_in("keepTopK", -1, -1, max_detections);
  score_threshold = attributes.number("scoreThreshold");
  iou_threshold = attributes.number("iouThreshold");
  is_normalized = attributes.flag("isNormalized", true);
  clips_boxes = attributes.flag("clipBoxes", true);
  counts_last_pixels = attributes.flag("caffeSemantics", true);
}

void BatchedNms::infer(InferContext& context) const {
  check_operands(context);
  const Dimension batch = dimension_at(context, 0, 0);
  const Dimension count = detections(context);
  const DataType element = context.element(0);
  context.set_output(0, DataType::int32, Dimensions{batch, 1});
  context.set_output(1, element, Dimensions{batch, count, 4});
  context.set_output(2, element, Dimensions{batch, count});
  context.set_output(3, element, Dimensions{batch, count});
}

void TrtBatchedNms::read(AttributeReader& attributes, int) {
  attributes.ignore("return_index");
  classes = attributes.integer_in("num_classes", 0, 0, max_detections);
  background = attributes.integer("background_label_id", -1);
  most_of_class = attributes.integer_in("topk", -1, -1, max_detections);
  // MMDeploy takes all boxes for a number above theirs, and for 0.
  if (most_of_class == 0) most_of_class = -1;
  most = attributes.integer_in("keep_topk", -1, -1, max_detections);
  score_threshold = attributes.number("score_threshold");
  iou_threshold = attributes.number("iou_threshold");
  is_normalized = attributes.flag("is_normalized", true);
  clips_boxes = attributes.flag("clip_boxes", true);
}

void TrtBatchedNms::infer(InferContext& context) const {
  check_operands(context);
  const Dimension batch = dimension_at(context, 0, 0);
  const Dimension count = detections(context);
  context.set_output(0, DataType::float32, Dimensions{batch, count, 5});
  context.set_output(1, DataType::int32, Dimensions{batch, count});
  if (context.has_output(2)) context.set_output(2, DataType::int32, Dimensions{batch, count});
}

}  // namespace ortool
