// Schemas of BatchedNMS_TRT and BatchedNMSDynamic_TRT in the domains that files name.
#include "libcore/ops/contrib/vision/batched_nms.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> batched_nms_inputs = {{"boxes", "T"}, {"scores", "T"}};
constexpr std::initializer_list<Formal> batched_nms_outputs = {
    {"num_detections", "tensor(int32)"},
    {"nmsed_boxes", "T"},
    {"nmsed_scores", "T"},
    {"nmsed_classes", "T"}};
constexpr std::initializer_list<AttributeSpec> batched_nms_attributes = {
    {"backgroundLabelId", AttributeKind::integer, false, -1},
    {"caffeSemantics", AttributeKind::integer, false, 1},
    {"clipBoxes", AttributeKind::integer, false, 1},
    {"iouThreshold", AttributeKind::float_number, true},
    {"isNormalized", AttributeKind::integer, false, 1},
    {"keepTopK", AttributeKind::integer, true},
    {"numClasses", AttributeKind::integer, true},
    {"plugin_namespace", AttributeKind::string},
    {"plugin_version", AttributeKind::string},
    {"scoreBits", AttributeKind::integer},
    {"scoreThreshold", AttributeKind::float_number, true},
    {"shareLocation", AttributeKind::integer, false, 1},
    {"topK", AttributeKind::integer, true}};
constexpr std::initializer_list<TypeParameter> batched_nms_types = {
    {"T", types_of({DataType::float32, DataType::float16})}};

}  // namespace

constinit const OpSchema BatchedNmsOfTrt::schema = {
    "BatchedNMS_TRT",
    tensorrt_domain,
    {{.since = 1,
      .inputs = batched_nms_inputs,
      .outputs = batched_nms_outputs,
      .attributes = batched_nms_attributes,
      .types = batched_nms_types}}};

constinit const OpSchema BatchedNmsOfPlugins::schema = {
    "BatchedNMS_TRT",
    tensorrt_plugins_domain,
    {{.since = 1,
      .inputs = batched_nms_inputs,
      .outputs = batched_nms_outputs,
      .attributes = batched_nms_attributes,
      .types = batched_nms_types}}};

constinit const OpSchema BatchedNmsWithoutDomain::schema = {
    "BatchedNMS_TRT",
    "",
    {{.since = 1,
      .inputs = batched_nms_inputs,
      .outputs = batched_nms_outputs,
      .attributes = batched_nms_attributes,
      .types = batched_nms_types}}};

constinit const OpSchema BatchedNmsDynamicOfTrt::schema = {
    "BatchedNMSDynamic_TRT",
    tensorrt_domain,
    {{.since = 1,
      .inputs = batched_nms_inputs,
      .outputs = batched_nms_outputs,
      .attributes = batched_nms_attributes,
      .types = batched_nms_types}}};

constinit const OpSchema BatchedNmsDynamicOfPlugins::schema = {
    "BatchedNMSDynamic_TRT",
    tensorrt_plugins_domain,
    {{.since = 1,
      .inputs = batched_nms_inputs,
      .outputs = batched_nms_outputs,
      .attributes = batched_nms_attributes,
      .types = batched_nms_types}}};

constinit const OpSchema BatchedNmsDynamicWithoutDomain::schema = {
    "BatchedNMSDynamic_TRT",
    "",
    {{.since = 1,
      .inputs = batched_nms_inputs,
      .outputs = batched_nms_outputs,
      .attributes = batched_nms_attributes,
      .types = batched_nms_types}}};

}  // namespace ortool
