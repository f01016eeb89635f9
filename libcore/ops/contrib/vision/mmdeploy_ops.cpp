// Schemas and shapes of MMDeploy's grid_sampler, MMCVRoiAlign and MMCVModulatedDeformConv2d.
#include "libcore/ops/contrib/vision/mmdeploy_ops.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_window = std::int64_t{1} << 31;

constexpr std::initializer_list<Formal> sampler_inputs = {{"input", "tensor(float)"},
                                                          {"grid", "tensor(float)"}};
constexpr std::initializer_list<Formal> one_image_output = {{"output", "tensor(float)"}};
constexpr std::initializer_list<AttributeSpec> sampler_attributes = {
    {"align_corners", AttributeKind::integer, false, 0},
    {"interpolation_mode", AttributeKind::integer, false, 0},
    {"padding_mode", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<Formal> mmcv_roi_inputs = {{"input", "tensor(float)"},
                                                           {"rois", "tensor(float)"}};
constexpr std::initializer_list<AttributeSpec> mmcv_roi_attributes = {
    {"aligned", AttributeKind::integer, false, 1},
    {"mode", AttributeKind::string, false, "avg"},
    {"output_height", AttributeKind::integer, true},
    {"output_width", AttributeKind::integer, true},
    {"sampling_ratio", AttributeKind::integer, false, 0},
    {"spatial_scale", AttributeKind::float_number, false, 1.0F}};

constexpr std::initializer_list<Formal> modulated_inputs = {
    {"input", "tensor(float)"},
    {"offset", "tensor(float)"},
    {"mask", "tensor(float)"},
    {"weight", "tensor(float)"},
    {"bias", "tensor(float)", Formal::Count::optional}};
constexpr std::initializer_list<AttributeSpec> modulated_attributes = {
    {"deform_groups", AttributeKind::integer, false, 1},
    {"dilation", AttributeKind::integers},
    {"groups", AttributeKind::integer, false, 1},
    {"padding", AttributeKind::integers},
    {"stride", AttributeKind::integers}};

std::vector<std::int64_t> read_pair(AttributeReader& attributes, std::string_view name,
                                    std::int64_t otherwise, std::int64_t least) {
  const auto given = attributes.find_integers(name);
  if (!given) return {otherwise, otherwise};
  const bool is_valid = given->size() == 2 && std::all_of(given->begin(), given->end(), [&](auto n) {
    return n >= least && n <= max_window;
  });
  if (is_valid) return *given;
  throw Error(ErrorCode::invalid, format("attribute '{}' is not a pair of numbers from {} to {}",
                                         name, least, max_window));
}

}  // namespace

constinit const OpSchema MmdeployGridSampler::schema = {"grid_sampler",
                                                        mmdeploy_domain,
                                                        {{.since = 1,
                                                          .inputs = sampler_inputs,
                                                          .outputs = one_image_output,
                                                          .attributes = sampler_attributes}}};

constinit const OpSchema MmcvGridSampler::schema = {"grid_sampler",
                                                    mmcv_domain,
                                                    {{.since = 1,
                                                      .inputs = sampler_inputs,
                                                      .outputs = one_image_output,
                                                      .attributes = sampler_attributes}}};

constinit const OpSchema MmdeployRoiAlign::schema = {"MMCVRoiAlign",
                                                     mmdeploy_domain,
                                                     {{.since = 1,
                                                       .inputs = mmcv_roi_inputs,
                                                       .outputs = one_image_output,
                                                       .attributes = mmcv_roi_attributes}}};

constinit const OpSchema MmcvRoiAlignOfMmcv::schema = {"MMCVRoiAlign",
                                                       mmcv_domain,
                                                       {{.since = 1,
                                                         .inputs = mmcv_roi_inputs,
                                                         .outputs = one_image_output,
                                                         .attributes = mmcv_roi_attributes}}};

constinit const OpSchema MmdeployDeformConv::schema = {"MMCVModulatedDeformConv2d",
                                                       mmdeploy_domain,
                                                       {{.since = 1,
                                                         .inputs = modulated_inputs,
                                                         .outputs = one_image_output,
                                                         .attributes = modulated_attributes}}};

constinit const OpSchema MmcvDeformConv::schema = {"MMCVModulatedDeformConv2d",
                                                   mmcv_domain,
                                                   {{.since = 1,
                                                     .inputs = modulated_inputs,
                                                     .outputs = one_image_output,
                                                     .attributes = modulated_attributes}}};

void MmGridSampler::read(AttributeReader& attributes, int) {
  interpolation_mode = attributes.integer_in("interpolation_mode", 0, 0, 2);
  padding_mode = attributes.integer_in("padding_mode", 0, 0, 2);
  align_corners = attributes.flag("align_corners");
}

void MmGridSampler::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  check_rank(context, 1, "grid", 4);
  check_dimension("the length of a position of 'grid'", dimension_at(context, 1, 3), 2);
  context.set_output(
      0, DataType::float32,
      Dimensions{merge_dimensions(dimension_at(context, 0, 0), dimension_at(context, 1, 0)),
                 dimension_at(context, 0, 1), dimension_at(context, 1, 1),
                 dimension_at(context, 1, 2)});
}

void MmcvRegionAlignment::read(AttributeReader& attributes, int) {
  height = attributes.integer_in("output_height", 1, 1, max_window);
  width = attributes.integer_in("output_width", 1, 1, max_window);
  sampling_ratio = attributes.integer_in("sampling_ratio", 0, 0, max_window);
  spatial_scale = attributes.number("spatial_scale", 1);
  takes_maximum = attributes.choice("mode", {"avg", "max"}, 0) != 0;
  is_aligned = attributes.flag("aligned", true);
}

void MmcvRegionAlignment::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  check_rank(context, 1, "rois", 2);
  check_dimension("the length of a region", dimension_at(context, 1, 1), 5);
  context.set_output(0, DataType::float32,
                     Dimensions{dimension_at(context, 1, 0), dimension_at(context, 0, 1), height,
                                width});
}

void MmcvModulatedDeformConv2d::read(AttributeReader& attributes, int) {
  strides = read_pair(attributes, "stride", 1, 1);
  pads = read_pair(attributes, "padding", 0, 0);
  dilations = read_pair(attributes, "dilation", 1, 1);
  groups = attributes.integer_in("groups", 1, 1, max_window);
  offset_groups = attributes.integer_in("deform_groups", 1, 1, max_window);
}

void MmcvModulatedDeformConv2d::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  check_rank(context, 1, "offset", 4);
  check_rank(context, 3, "weight", 4);
  Dimensions shape = {dimension_at(context, 0, 0), dimension_at(context, 3, 0)};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto at = static_cast<std::int64_t>(axis) + 2;
    const Dimension window =
        combine_dimensions(DimensionOp::multiply, dimension_at(context, 3, at) - 1,
                           dilations[axis]) + 1;
    const Dimension room = dimension_at(context, 0, at) + 2 * pads[axis] - window;
    shape.push_back(floor_divide(room, strides[axis]) + 1);
    check_dimension("an axis of 'offset'", dimension_at(context, 1, at), shape.back());
  }
  context.set_output(0, DataType::float32, std::move(shape));
}

}  // namespace ortool
