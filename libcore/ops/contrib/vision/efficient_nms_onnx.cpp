// Schemas, attributes and shape of EfficientNMS_ONNX_TRT.
#include "libcore/ops/contrib/vision/efficient_nms_onnx.hpp"

#include "libcore/ops/contrib/vision/detection_shapes.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> nms_onnx_inputs = {{"boxes", "T"}, {"scores", "T"}};
constexpr std::initializer_list<Formal> nms_onnx_outputs = {{"detection_indices", "tensor(int32)"}};
constexpr std::initializer_list<AttributeSpec> nms_onnx_attributes = {
    {"center_point_box", AttributeKind::integer, false, 0},
    {"iou_threshold", AttributeKind::float_number, false, 0.5F},
    {"max_output_boxes_per_class", AttributeKind::integer, true},
    {"plugin_namespace", AttributeKind::string},
    {"plugin_version", AttributeKind::string},
    {"score_threshold", AttributeKind::float_number, false, 0.5F}};
constexpr std::initializer_list<TypeParameter> nms_onnx_types = {
    {"T", types_of({DataType::float32, DataType::float16})}};

}  // namespace

constinit const OpSchema OnnxEfficientNmsOfTrt::schema = {"EfficientNMS_ONNX_TRT",
                                                          tensorrt_domain,
                                                          {{.since = 1,
                                                            .inputs = nms_onnx_inputs,
                                                            .outputs = nms_onnx_outputs,
                                                            .attributes = nms_onnx_attributes,
                                                            .types = nms_onnx_types}}};

constinit const OpSchema OnnxEfficientNmsOfPlugins::schema = {"EfficientNMS_ONNX_TRT",
                                                              tensorrt_plugins_domain,
                                                              {{.since = 1,
                                                                .inputs = nms_onnx_inputs,
                                                                .outputs = nms_onnx_outputs,
                                                                .attributes = nms_onnx_attributes,
                                                                .types = nms_onnx_types}}};

constinit const OpSchema OnnxEfficientNmsWithoutDomain::schema = {
    "EfficientNMS_ONNX_TRT",
    "",
    {{.since = 1,
      .inputs = nms_onnx_inputs,
      .outputs = nms_onnx_outputs,
      .attributes = nms_onnx_attributes,
      .types = nms_onnx_types}}};

void OnnxEfficientNms::read(AttributeReader& attributes, int) {
  attributes.ignore("plugin_version");
  attributes.ignore("plugin_namespace");
  score_threshold = attributes.number("score_threshold", 0.5F);
  iou_threshold = attributes.number("iou_threshold", 0.5F);
  // TensorRT takes the limit of a class for that of an image, too.
  most = attributes.integer_in("max_output_boxes_per_class", 0, 0, max_detections);
  center_and_size = attributes.flag("center_point_box");
}

void OnnxEfficientNms::infer(InferContext& context) const {
  check_detection_operands(context);
  context.set_output(0, DataType::int32, Dimensions{dimension_at(context, 0, 0) * most, 3});
}

}  // namespace ortool
