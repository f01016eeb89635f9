// Schemas of EfficientNMS_TRT, and the shapes of its fixed number of detections.
#include "libcore/ops/contrib/vision/efficient_nms.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/vision/detection_shapes.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> efficient_nms_inputs = {
    {"boxes", "T"}, {"scores", "T"}, {"anchors", "T", Formal::Count::optional}};
constexpr std::initializer_list<Formal> efficient_nms_outputs = {
    {"num_detections", "tensor(int32)"},
    {"detection_boxes", "T"},
    {"detection_scores", "T"},
    {"detection_classes", "tensor(int32)"}};
constexpr std::initializer_list<AttributeSpec> efficient_nms_attributes = {
    {"background_class", AttributeKind::integer, false, -1},
    {"box_coding", AttributeKind::integer, false, 0},
    {"class_agnostic", AttributeKind::integer, false, 0},
    {"iou_threshold", AttributeKind::float_number, false, 0.5F},
    {"max_output_boxes", AttributeKind::integer, false, 100},
    {"plugin_namespace", AttributeKind::string},
    {"plugin_version", AttributeKind::string},
    {"score_activation", AttributeKind::integer, false, 0},
    {"score_threshold", AttributeKind::float_number, false, 0.25F}};
constexpr std::initializer_list<TypeParameter> efficient_nms_types = {
    {"T", types_of({DataType::float32, DataType::float16})}};

}  // namespace

constinit const OpSchema EfficientNmsOfTrt::schema = {"EfficientNMS_TRT",
                                                      tensorrt_domain,
                                                      {{.since = 1,
                                                        .inputs = efficient_nms_inputs,
                                                        .outputs = efficient_nms_outputs,
                                                        .attributes = efficient_nms_attributes,
                                                        .types = efficient_nms_types}}};

constinit const OpSchema EfficientNmsOfPlugins::schema = {"EfficientNMS_TRT",
                                                          tensorrt_plugins_domain,
                                                          {{.since = 1,
                                                            .inputs = efficient_nms_inputs,
                                                            .outputs = efficient_nms_outputs,
                                                            .attributes = efficient_nms_attributes,
                                                            .types = efficient_nms_types}}};

constinit const OpSchema EfficientNmsWithoutDomain::schema = {
    "EfficientNMS_TRT",
    "",
    {{.since = 1,
      .inputs = efficient_nms_inputs,
      .outputs = efficient_nms_outputs,
      .attributes = efficient_nms_attributes,
      .types = efficient_nms_types}}};

void EfficientNms::read(AttributeReader& attributes, int) {
  attributes.ignore("plugin_version");
  attributes.ignore("plugin_namespace");
  score_threshold = attributes.number("score_threshold", 0.25F);
  iou_threshold = attributes.number("iou_threshold", 0.5F);
  most = attributes.integer_in("max_output_boxes", 100, 0, max_detections);
  background = attributes.integer("background_class", -1);
  applies_sigmoid = attributes.flag("score_activation");
  ignores_classes = attributes.flag("class_agnostic");
  coding = attributes.integer_in("box_coding", 0, 0, 1) == 0 ? Coding::corners
                                                            : Coding::center_and_size;
}

void EfficientNms::infer(InferContext& context) const {
  check_detection_operands(context);
  if (context.has_input(2)) {
    check_rank(context, 2, "anchors", 3);
    const Dimension batch = dimension_at(context, 2, 0);
    if (batch.is_known() && batch != Dimension(1))
      check_dimension("the batch of 'anchors'", batch, dimension_at(context, 0, 0));
    check_dimension("the number of anchors", dimension_at(context, 2, 1),
                    dimension_at(context, 0, 1));
    check_dimension("the length of an anchor", dimension_at(context, 2, 2), 4);
  }
  const Dimension batch = dimension_at(context, 0, 0);
  const DataType element = context.element(0);
  context.set_output(0, DataType::int32, Dimensions{batch, 1});
  context.set_output(1, element, Dimensions{batch, most, 4});
  context.set_output(2, element, Dimensions{batch, most});
  context.set_output(3, DataType::int32, Dimensions{batch, most});
}

}  // namespace ortool
