// Reshaping, padding and resizing of the xnnpack module.
#include <initializer_list>

#include "providers/xnnpack/operator_list.hpp"

namespace ortool::xnnpack {
namespace {

/// Whether rows and columns are known to be 1: then the layouts of an image have the same order.
bool is_one_pixel(const ortool_provider_value& image) {
  return dimension_of(image, 2) == 1 && dimension_of(image, 3) == 1;
}

/// The pads of a Pad, those before all axes first; `is_known`: they are constants.
std::vector<std::int64_t> pads_of(const NodeReader& node, bool& is_known) {
  is_known = true;
  if (node.has("pads")) return node.integers("pads", {});
  return node.constant_integers(1, is_known);
}

/// The flag of a coordinate transformation that XNNPACK has; false: it has no such.
bool find_resize_flag(const std::string& mode, std::uint32_t& flag) {
  flag = mode == "align_corners" ? XNN_FLAG_ALIGN_CORNERS
         : mode == "asymmetric"  ? XNN_FLAG_TENSORFLOW_LEGACY_MODE
                                 : 0;
  return mode == "half_pixel" || mode == "align_corners" || mode == "asymmetric";
}

}  // namespace

std::string refuses_reshape(const NodeReader& node) {
  const ortool_provider_value* x = node.input(0);
  const ortool_provider_value* y = node.output(0);
  if (!is_float_variable(x) || !is_float_variable(y))
    return "XNNPACK reshapes float32 of rank 1 to 6";
  if (node.node().input_count > 1 && node.input(1) != nullptr && node.input(1)->is_constant == 0)
    return "XNNPACK needs a constant shape";
  for (const ortool_provider_value* value : {x, y}) {
    if (is_image(value) && !is_one_pixel(*value))
      return "channels are innermost in XNNPACK's images: only those of one pixel are reshaped";
  }
  return {};
}

xnn_status define_reshape(GraphBuilder& graph, const NodeReader& node) {
  const std::vector<std::size_t> shape = layout_shape(*node.output(0));
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_static_reshape(graph.subgraph(), shape.size(), shape.data(), x,
                                   graph.id_of(node.output(0)), 0);
}

std::string refuses_pad(const NodeReader& node) {
  if (!is_float_variable(node.input(0))) return "XNNPACK pads float32 of rank 1 to 6";
  if (node.string("mode", "constant") != "constant") return "XNNPACK pads with a constant";
  if (node.input(3) != nullptr) return "a Pad of some axes is not used";
  if (node.input(2) != nullptr && (!is_float_constant(node.input(2)) || node.input(2)->count != 1))
    return "XNNPACK needs a constant value";
  bool is_known = false;
  const std::vector<std::int64_t> pads = pads_of(node, is_known);
  if (!is_known || pads.size() != 2 * static_cast<std::size_t>(node.input(0)->rank))
    return "XNNPACK needs constant pads";
  for (const std::int64_t pad : pads) {
    if (pad < 0) return "XNNPACK has no negative padding";
  }
  return {};
}

xnn_status define_pad(GraphBuilder& graph, const NodeReader& node) {
  bool is_known = false;
  const std::vector<std::int64_t> pads = pads_of(node, is_known);
  const std::size_t rank = pads.size() / 2;
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
  const auto add = [&](std::size_t axis) {
    before.push_back(static_cast<std::size_t>(pads[axis]));
    after.push_back(static_cast<std::size_t>(pads[rank + axis]));
  };
  if (is_image(node.input(0))) {
    for (const std::size_t axis : std::initializer_list<std::size_t>{0, 2, 3, 1}) add(axis);
  } else {
    for (std::size_t axis = 0; axis < rank; ++axis) add(axis);
  }
  const ortool_provider_value* given = node.input(2);
  const float value = given != nullptr ? *floats_of(*given) : node.number("value", 0);
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_static_constant_pad(graph.subgraph(), before.data(), after.data(), value, x,
                                        graph.id_of(node.output(0)), 0);
}

std::string refuses_resize(const NodeReader& node) {
  if (!is_float_variable(node.input(0)) || !is_image(node.input(0)))
    return "XNNPACK resizes float32 images with two spatial axes";
  std::uint32_t flag = 0;
  const bool is_linear = node.node().opset >= 11 && node.string("mode", "nearest") == "linear" &&
                         node.integer("antialias", 0) == 0 &&
                         node.integer("exclude_outside", 0) == 0 && !node.has("axes") &&
                         node.string("keep_aspect_ratio_policy", "stretch") == "stretch";
  if (!is_linear ||
      !find_resize_flag(node.string("coordinate_transformation_mode", "half_pixel"), flag))
    return "XNNPACK resizes bilinearly, with half_pixel, align_corners or asymmetric";
  const ortool_provider_value& x = *node.input(0);
  const ortool_provider_value& y = *node.output(0);
  for (const std::int32_t axis : {0, 1, 2, 3}) {
    const std::int64_t from = dimension_of(x, axis);
    const std::int64_t to = dimension_of(y, axis);
    if (axis < 2 && from != to) return "XNNPACK resizes rows and columns alone";
    if (from <= 0 || to <= 0) return "XNNPACK needs known sizes";
    // Scales that give no whole size are used as they are by ONNX.
    if (to % from != 0 && node.input(3) == nullptr) return "the scale has a fraction";
  }
  return {};
}

xnn_status define_resize(GraphBuilder& graph, const NodeReader& node) {
  std::uint32_t flag = 0;
  find_resize_flag(node.string("coordinate_transformation_mode", "half_pixel"), flag);
  const ortool_provider_value& y = *node.output(0);
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_static_resize_bilinear_2d(
      graph.subgraph(), static_cast<std::size_t>(y.shape[2]), static_cast<std::size_t>(y.shape[3]),
      x, graph.id_of(node.output(0)), flag);
}

std::string refuses_depth_to_space(const NodeReader& node) {
  if (!is_float_variable(node.input(0)) || !is_image(node.input(0)))
    return "XNNPACK computes float32 images with two spatial axes";
  if (node.string("mode", "DCR") != "DCR") return "XNNPACK has the order DCR alone";
  return node.integer("blocksize", 0) > 1 ? "" : "XNNPACK needs blocks of more than one pixel";
}

xnn_status define_depth_to_space(GraphBuilder& graph, const NodeReader& node) {
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_depth_to_space(graph.subgraph(), x, graph.id_of(node.output(0)),
                                   static_cast<std::uint32_t>(node.integer("blocksize", 0)), 0);
}

}  // namespace ortool::xnnpack
