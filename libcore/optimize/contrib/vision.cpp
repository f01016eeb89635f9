// Decomposition of MMDeploy's forms of GridSample, RoiAlign and DeformConv.
#include <string>
#include <string_view>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/vision/mmdeploy_ops.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// The struct of an operator that two domains have.
template <typename Op>
Op read_mm(const Node& node) {
  return read_op<Op>(node, *version_of(*find_op(node.domain(), node.op_type()), node));
}

Attribute list_attribute(std::string_view name, std::vector<std::int64_t> values) {
  Attribute made;
  made.name = name;
  made.value = std::move(values);
  return made;
}

Results mm_grid_sampler(Decomposition& out) {
  const auto op = read_mm<MmGridSampler>(out.node());
  constexpr const char* modes[] = {"linear", "nearest", "cubic"};
  constexpr const char* paddings[] = {"zeros", "border", "reflection"};
  return {&out.add_own(
      "GridSample", out.inputs(),
      plain_attributes({{"align_corners", std::int64_t{op.align_corners}},
                        {"mode", std::string(modes[op.interpolation_mode])},
                        {"padding_mode", std::string(paddings[op.padding_mode])}}))};
}

Results mmcv_roi_align(Decomposition& out) {
  const auto op = read_mm<MmcvRegionAlignment>(out.node());
  const std::int64_t first[] = {0};
  const std::int64_t rest[] = {1, 2, 3, 4};
  Value& rois = *out.input(1);
  Value& images = out.add("Cast",
                          {&out.add("Gather", {&rois, &out.constant(Tensor::scalar(first[0]))},
                                    plain_attributes({{"axis", std::int64_t{1}}}))},
                          plain_attributes({{"to", std::int64_t{7}}}));
  Value& regions = out.add("Gather", {&rois, &out.integers(rest)},
                           plain_attributes({{"axis", std::int64_t{1}}}));
  return {&out.add_own(
      "RoiAlign", {out.input(0), &regions, &images},
      plain_attributes(
          {{"coordinate_transformation_mode",
            std::string(op.is_aligned ? "half_pixel" : "output_half_pixel")},
           {"mode", std::string(op.takes_maximum ? "max" : "avg")},
           {"output_height", op.height},
           {"output_width", op.width},
           {"sampling_ratio", op.sampling_ratio},
           {"spatial_scale", op.spatial_scale}}))};
}

Results mmcv_deform_conv(Decomposition& out) {
  const auto op = read_mm<MmcvModulatedDeformConv2d>(out.node());
  std::vector<Attribute> attributes =
      plain_attributes({{"group", op.groups}, {"offset_group", op.offset_groups}});
  attributes.push_back(list_attribute("strides", op.strides));
  attributes.push_back(list_attribute("dilations", op.dilations));
  attributes.push_back(list_attribute("pads", {op.pads[0], op.pads[1], op.pads[0], op.pads[1]}));
  Value* const bias = out.node().input_count() > 4 ? out.input(4) : nullptr;
  return {&out.add_own("DeformConv",
                       {out.input(0), out.input(3), out.input(1), bias, out.input(2)},
                       std::move(attributes))};
}

constexpr DecompositionRow vision_rows[] = {
    {"grid_sampler", mm_grid_sampler, 1, mmdeploy_domain},
    {"grid_sampler", mm_grid_sampler, 1, mmcv_domain},
    {"MMCVRoiAlign", mmcv_roi_align, 1, mmdeploy_domain},
    {"MMCVRoiAlign", mmcv_roi_align, 1, mmcv_domain},
    {"MMCVModulatedDeformConv2d", mmcv_deform_conv, 1, mmdeploy_domain},
    {"MMCVModulatedDeformConv2d", mmcv_deform_conv, 1, mmcv_domain},
};

}  // namespace

std::span<const DecompositionRow> vision_decompositions() {
  return vision_rows;
}

}  // namespace ortool
