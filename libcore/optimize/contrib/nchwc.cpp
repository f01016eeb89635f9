// Decompositions of com.microsoft.nchwc once its weights are plain: each operator is its namesake
// on NCHW, with channels up to whole blocks.
#include "libcore/ops/contrib/fused/nchwc.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

constexpr std::int64_t image_rank = 4;

Results nchwc_conv(Decomposition& out) {
  const auto op = read_op<NchwcConv>(out.node());
  Value* sum = &out.add("Conv", {out.input(0), out.input(1), out.input(2)},
                        out.attributes_but({"activation", "activation_params"}));
  if (out.input(3) != nullptr) sum = &out.add("Add", {sum, out.input(3)});
  return {&activated(out, *sum, op.activation)};
}

/// Opsets before 10 lack attributes that the file states with their defaults.
template <typename Op>
Results nchwc_window_pool(Decomposition& out) {
  const auto op = read_op<Op>(out.node());
  std::vector<Attribute> given = out.attributes_but({"dilations", "storage_order"});
  const bool is_dilated = std::any_of(op.window.dilations.begin(), op.window.dilations.end(),
                                      [](std::int64_t each) { return each != 1; });
  if (is_dilated) given.push_back(integers_attribute("dilations", op.window.dilations));
  if (!op.window.ceil_mode)
    std::erase_if(given, [](const Attribute& each) { return each.name == "ceil_mode"; });
  return {&out.add(out.node().op_type(), {out.input(0)}, std::move(given))};
}

Results nchwc_pool(Decomposition& out) {
  return {&out.add(out.node().op_type(), {out.input(0)}, out.attributes_but({"storage_order"}))};
}

Results reorder_input(Decomposition& out) {
  const auto op = read_op<ReorderInput>(out.node());
  if (op.channels_last) return {&transpose(out, *out.input(0), to_channels_first(image_rank))};
  return {&out.add("Identity", {out.input(0)})};
}

Results reorder_output(Decomposition& out) {
  const auto op = read_op<ReorderOutput>(out.node());
  const PartialShape shape = out.shape(0);
  Value* image = out.input(0);
  if (!shape || shape->size() != image_rank || (*shape)[1] != Dimension(op.channels))
    image = &slice_axis(out, *image, 1, 0, op.channels);
  if (op.channels_last) image = &transpose(out, *image, to_channels_last(image_rank));
  return {image == out.input(0) ? &out.add("Identity", {image}) : image};
}

Results nchwc_upsample(Decomposition& out) {
  const auto op = read_op<NchwcUpsampleOp>(out.node());
  static constexpr const char* names[] = {"asymmetric", "align_corners", "half_pixel"};
  Tensor scales(DataType::float32, Shape({image_rank}));
  for (std::int64_t i = 0; i < image_rank; ++i)
    set_element(scales, i, op.scales[static_cast<std::size_t>(i)]);
  // By whole factors, the nearest element is the one that repeats.
  const std::string coordinates =
      op.is_linear ? names[static_cast<std::size_t>(op.coordinates)] : names[0];
  constexpr std::int64_t opset_of_coordinates = 11;
  return {&add_since(out, opset_of_coordinates, "Resize",
                     {out.input(0), nullptr, &out.constant(std::move(scales))},
                     plain_attributes({{"mode", std::string(op.is_linear ? "linear" : "nearest")},
                                       {"coordinate_transformation_mode", coordinates},
                                       {"nearest_mode", std::string("floor")}}))};
}

}  // namespace

std::span<const DecompositionRow> nchwc_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"AveragePool", nchwc_window_pool<NchwcAveragePool>, 1, nchwc_domain},
      {"Conv", nchwc_conv, 1, nchwc_domain},
      {"GlobalAveragePool", nchwc_pool, 1, nchwc_domain},
      {"GlobalMaxPool", nchwc_pool, 1, nchwc_domain},
      {"MaxPool", nchwc_window_pool<NchwcMaxPool>, 1, nchwc_domain},
      {"ReorderInput", reorder_input, 1, nchwc_domain},
      {"ReorderOutput", reorder_output, 1, nchwc_domain},
      {"Upsample", nchwc_upsample, 1, nchwc_domain},
  };
  return rows;
}

}  // namespace ortool
