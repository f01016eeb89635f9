// Convolutions and pools of the xnnpack module.
#include <cmath>
#include <limits>

#include "providers/xnnpack/operator_list.hpp"

namespace ortool::xnnpack {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Attributes of a window over rows and columns.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> pads;  ///< top, left, bottom, right
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;

  explicit Window(const NodeReader& node)
      : kernel(node.integers("kernel_shape", {})),
        pads(node.integers("pads", {0, 0, 0, 0})),
        strides(node.integers("strides", {1, 1})),
        dilations(node.integers("dilations", {1, 1})) {
    if (node.string("auto_pad", "NOTSET") == "VALID") pads = {0, 0, 0, 0};
  }
  std::uint32_t pad(std::size_t side) const { return static_cast<std::uint32_t>(pads[side]); }
  bool has_pads() const {
    for (const std::int64_t pad : pads) {
      if (pad != 0) return true;
    }
    return false;
  }
};

std::uint32_t u32(std::int64_t number) {
  return static_cast<std::uint32_t>(number);
}

/// Whether all windows lie in the padded image, as far as sizes are known, and the result has as
/// many rows and columns as XNNPACK computes.
bool fits(const NodeReader& node, const Window& window) {
  for (std::size_t i = 0; i < 2 && window.kernel.size() == 2; ++i) {
    const auto axis = static_cast<std::int32_t>(i) + 2;
    const std::int64_t in = dimension_of(*node.input(0), axis);
    const std::int64_t out = dimension_of(*node.output(0), axis);
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t rest = in + window.pads[i] + window.pads[i + 2] - extent;
    if (in < 0 || out < 0) continue;
    if (rest < 0 || rest / window.strides[i] + 1 != out) return false;
  }
  return true;
}

std::string refuses_window(const NodeReader& node, const Window& window) {
  if (!is_float_variable(node.input(0)) || !is_image(node.input(0)))
    return "XNNPACK computes float32 images with two spatial axes";
  const std::string auto_pad = node.string("auto_pad", "NOTSET");
  if (auto_pad != "NOTSET" && auto_pad != "VALID") return "auto_pad " + auto_pad + " is not used";
  if (window.pads.size() != 4 || window.strides.size() != 2 || window.dilations.size() != 2)
    return "XNNPACK has windows of two axes";
  for (const std::int64_t pad : window.pads) {
    if (pad < 0) return "XNNPACK has no negative padding";
  }
  return fits(node, window) ? "" : "XNNPACK has no windows that are wider than the image";
}

}  // namespace

std::string refuses_conv(const NodeReader& node) {
  Window window(node);
  if (window.kernel.empty() && is_image(node.input(1)))
    window.kernel = {node.input(1)->shape[2], node.input(1)->shape[3]};
  std::string reason = refuses_window(node, window);
  if (!reason.empty()) return reason;
  if (!is_float_constant(node.input(1)) || !is_image(node.input(1)))
    return "XNNPACK needs constant weights";
  if (node.input(2) != nullptr && !is_float_constant(node.input(2)))
    return "XNNPACK needs a constant bias";
  return {};
}

xnn_status define_conv(GraphBuilder& graph, const NodeReader& node) {
  const Window window(node);
  const ortool_provider_value& weights = *node.input(1);
  const auto size = [&](std::int32_t axis) {
    return static_cast<std::size_t>(weights.shape[axis]);
  };
  const std::size_t out = size(0);
  const std::size_t in_of_group = size(1);
  const std::size_t rows = size(2);
  const std::size_t columns = size(3);
  const auto groups = static_cast<std::size_t>(node.integer("group", 1));
  const bool is_depthwise = in_of_group == 1 && groups > 1 && out % groups == 0;
  std::uint32_t bias = XNN_INVALID_VALUE_ID;
  if (node.input(2) != nullptr) {
    const float* elements = floats_of(*node.input(2));
    bias = graph.constant({out}, {elements, elements + out});
  }
  const float* elements = floats_of(weights);
  const std::uint32_t x = graph.id_of(node.input(0));
  const std::uint32_t y = graph.id_of(node.output(0));
  if (is_depthwise) {
    // [out, 1, rows, columns] as [1, rows, columns, out].
    const std::uint32_t filter =
        graph.constant({1, rows, columns, out}, channels_last(elements, {1, out, rows, columns}));
    return xnn_define_depthwise_convolution_2d(
        graph.subgraph(), window.pad(0), window.pad(3), window.pad(2), window.pad(1),
        u32(weights.shape[2]), u32(weights.shape[3]), u32(window.strides[0]),
        u32(window.strides[1]), u32(window.dilations[0]), u32(window.dilations[1]),
        static_cast<std::uint32_t>(out / groups), groups, -infinity, infinity, x, filter, bias, y,
        0);
  }
  const std::uint32_t filter =
      graph.constant({out, rows, columns, in_of_group},
                     channels_last(elements, {out, in_of_group, rows, columns}));
  return xnn_define_convolution_2d(
      graph.subgraph(), window.pad(0), window.pad(3), window.pad(2), window.pad(1),
      u32(weights.shape[2]), u32(weights.shape[3]), u32(window.strides[0]), u32(window.strides[1]),
      u32(window.dilations[0]), u32(window.dilations[1]), static_cast<std::uint32_t>(groups),
      in_of_group, out / groups, -infinity, infinity, x, filter, bias, y, 0);
}

std::string refuses_pool(const NodeReader& node) {
  const Window window(node);
  std::string reason = refuses_window(node, window);
  if (!reason.empty()) return reason;
  if (node.output(1) != nullptr) return "XNNPACK does not return the indices of the maxima";
  if (node.integer("ceil_mode", 0) != 0) return "XNNPACK rounds sizes down";
  if (window.kernel.size() != 2 || window.kernel[0] * window.kernel[1] == 1)
    return "XNNPACK has no pools of one pixel";
  if (node.is("MaxPool")) return {};
  if (window.dilations[0] != 1 || window.dilations[1] != 1)
    return "XNNPACK does not dilate mean pools";
  if (node.integer("count_include_pad", 0) != 0 && window.has_pads())
    return "XNNPACK does not count padding in a mean";
  return {};
}

xnn_status define_pool(GraphBuilder& graph, const NodeReader& node) {
  const Window window(node);
  const std::uint32_t x = graph.id_of(node.input(0));
  const std::uint32_t y = graph.id_of(node.output(0));
  if (node.is("MaxPool")) {
    return xnn_define_max_pooling_2d(graph.subgraph(), window.pad(0), window.pad(3), window.pad(2),
                                     window.pad(1), u32(window.kernel[0]), u32(window.kernel[1]),
                                     u32(window.strides[0]), u32(window.strides[1]),
                                     u32(window.dilations[0]), u32(window.dilations[1]), -infinity,
                                     infinity, x, y, 0);
  }
  return xnn_define_average_pooling_2d(graph.subgraph(), window.pad(0), window.pad(3),
                                       window.pad(2), window.pad(1), u32(window.kernel[0]),
                                       u32(window.kernel[1]), u32(window.strides[0]),
                                       u32(window.strides[1]), -infinity, infinity, x, y, 0);
}

std::string refuses_global_pool(const NodeReader& node) {
  if (!is_float_variable(node.input(0)) || !is_image(node.input(0)))
    return "XNNPACK computes means of float32 images with two spatial axes";
  if (node.is("GlobalAveragePool")) return {};
  bool is_known = node.has("axes");
  std::vector<std::int64_t> axes = node.integers("axes", {});
  if (!is_known) axes = node.constant_integers(1, is_known);
  for (std::int64_t& axis : axes) axis = axis < 0 ? axis + image_rank : axis;
  const bool is_spatial =
      is_known && axes.size() == 2 && axes[0] + axes[1] == 5 && (axes[0] == 2 || axes[0] == 3);
  if (!is_spatial || node.integer("keepdims", 1) == 0)
    return "XNNPACK computes means over rows and columns, which stay as axes";
  return {};
}

xnn_status define_global_pool(GraphBuilder& graph, const NodeReader& node) {
  const std::uint32_t x = graph.id_of(node.input(0));
  return xnn_define_global_average_pooling_2d(graph.subgraph(), -infinity, infinity, x,
                                              graph.id_of(node.output(0)), 0);
}

}  // namespace ortool::xnnpack
