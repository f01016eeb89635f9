// Decompositions of operators on images with the channels last: transposes around ONNX's, and the
// normalizations of diffusion models.
#include "libcore/ops/contrib/fused/channels_last.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/fused/diffusion.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Value& planes_of(Decomposition& out, Value& image, std::int64_t rank) {
  return rank < 3 ? image : transpose(out, image, to_channels_first(rank));
}

Value& image_of(Decomposition& out, Value& planes, std::int64_t rank) {
  return rank < 3 ? planes : transpose(out, planes, to_channels_last(rank));
}

/// A convolution of input 0 by `weights` and input 2, plus input 3, and an activation.
Results convolution(Decomposition& out, std::int64_t rank, Value& weights,
                    const FusedActivation& activation) {
  Value* sum = &out.add("Conv", {&planes_of(out, *out.input(0), rank), &weights, out.input(2)},
                        out.attributes_but({"activation", "activation_params"}));
  if (out.input(3) != nullptr) sum = &out.add("Add", {sum, &planes_of(out, *out.input(3), rank)});
  return {&image_of(out, activated(out, *sum, activation), rank)};
}

Results nhwc_conv(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 0) return {};
  return convolution(out, rank, planes_of(out, *out.input(1), rank), {});
}

template <typename Op>
Results nhwc_fused_conv(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 0) return {};
  return convolution(out, rank, *out.input(1), read_op<Op>(out.node()).activation);
}

Results nhwc_max_pool(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 0) return {};
  const DataType type = out.element(0);
  if (type == DataType::undefined) return {};
  Value* planes = &planes_of(out, *out.input(0), rank);
  const bool takes_bytes = out.opset() >= opset_of_type("MaxPool", "X", type);
  if (!takes_bytes) planes = &cast_to(out, *planes, DataType::float32);
  Value* maxima = &out.add("MaxPool", {planes}, out.attributes_but({}));
  if (!takes_bytes) maxima = &cast_to(out, *maxima, type);
  return {&image_of(out, *maxima, rank)};
}

/// GroupNormalization of x, of float32, in the node's layout.
Value& normalized_groups(Decomposition& out, Value& x, const GroupNorm& op) {
  constexpr std::int64_t rank = 4;
  constexpr std::int64_t opset_of_channel_scales = 21;
  Value& planes = op.channels_last ? planes_of(out, x, rank) : x;
  Value* made = &add_since(out, opset_of_channel_scales, "GroupNormalization",
                           {&planes, &widened(out, *out.input(1), out.element(1)),
                            &widened(out, *out.input(2), out.element(2))},
                           plain_attributes({{"epsilon", op.epsilon}, {"num_groups", op.groups}}));
  if (op.applies_silu) made = &out.add_own("Swish", {made});
  return op.channels_last ? image_of(out, *made, rank) : *made;
}

Value& narrowed(Decomposition& out, Value& x) {
  const DataType type = out.element(0);
  return type == DataType::float32 ? x : cast_to(out, x, type);
}

bool knows_types(const Decomposition& out) {
  return out.element(0) != DataType::undefined && out.element(1) != DataType::undefined;
}

Results group_norm(Decomposition& out) {
  if (!knows_types(out)) return {};
  Value& x = widened(out, *out.input(0), out.element(0));
  return {&narrowed(out, normalized_groups(out, x, read_op<GroupNorm>(out.node())))};
}

Results skip_group_norm(Decomposition& out) {
  const std::int64_t skip_rank = out.rank(3);
  if (!knows_types(out) || skip_rank < 0) return {};
  const auto op = read_op<SkipGroupNorm>(out.node());
  const DataType type = out.element(0);
  using Sizes = std::vector<std::int64_t>;
  Value* skip = &widened(out, *out.input(3), type);
  if (skip_rank == 2)
    skip = &reshape(out, *skip, op.channels_last ? Sizes{0, 1, 1, -1} : Sizes{0, -1, 1, 1});
  Value* sum = &out.add("Add", {&widened(out, *out.input(0), type), skip});
  if (out.input(4) != nullptr) {
    Value& bias = widened(out, *out.input(4), type);
    sum = &out.add("Add", {sum, op.channels_last ? &bias : &reshape(out, bias, Sizes{-1, 1, 1})});
  }
  Value& normal = narrowed(out, normalized_groups(out, *sum, op));
  return {&normal, &narrowed(out, *sum)};
}

Results bias_split_gelu(Decomposition& out) {
  Value& sum = out.add("Add", {out.input(0), out.input(1)});
  std::vector<Attribute> given = plain_attributes({{"axis", std::int64_t{2}}});
  if (out.opset() >= opset_of_attribute("Split", "num_outputs")) {
    for (Attribute& each : plain_attributes({{"num_outputs", std::int64_t{2}}}))
      given.push_back(std::move(each));
  }
  const std::vector<Value*> halves = out.add_many("Split", {&sum}, 2, std::move(given));
  return {&out.add("Mul", {halves[0], &out.add_own("Gelu", {halves[1]})})};
}

/// Whether the operator means the same in the version of its domain and in the graph's opset.
bool has_same_version(const Decomposition& out) {
  const OpEntry* entry = find_op("", out.node().op_type());
  return entry != nullptr &&
         entry->schema->at(out.opset()) == entry->schema->at(out.node().opset());
}

std::vector<Value*> other_inputs(const Decomposition& out, Value& first) {
  std::vector<Value*> inputs = {&first};
  for (std::int64_t i = 1; i < out.node().input_count(); ++i) inputs.push_back(out.input(i));
  return inputs;
}

/// ONNX's operator of the same name, between transposes.
Results between_transposes(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 0 || !has_same_version(out)) return {};
  Value& planes = planes_of(out, *out.input(0), rank);
  Value& made = out.add(out.node().op_type(), other_inputs(out, planes), out.attributes_but({}));
  return {&image_of(out, made, rank)};
}

/// Resize has its sizes in the order of the image's axes, if they are constants.
Results nhwc_resize(Decomposition& out) {
  if (!has_same_version(out)) return {};
  for (std::int64_t i = 1; i < out.node().input_count(); ++i) {
    if (out.input(i) != nullptr && !out.input(i)->is_constant()) return {};
  }
  return {&out.add("Resize", other_inputs(out, *out.input(0)), out.attributes_but({}))};
}

}  // namespace

std::span<const DecompositionRow> channels_last_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"BiasSplitGelu", bias_split_gelu},
      {"GroupNorm", group_norm},
      {"NhwcConv", nhwc_conv},
      {"NhwcFusedConv", nhwc_fused_conv<NhwcFusedConv>},
      {"NhwcMaxPool", nhwc_max_pool},
      {"SkipGroupNorm", skip_group_norm, 2},
      {"AveragePool", between_transposes, 1, provider_nhwc_domain},
      {"BatchNormalization", between_transposes, 1, provider_nhwc_domain},
      {"Conv", nhwc_fused_conv<ProviderNhwcConv>, 1, provider_nhwc_domain},
      {"ConvTranspose", between_transposes, 1, provider_nhwc_domain},
      {"DepthToSpace", between_transposes, 1, provider_nhwc_domain},
      {"GlobalAveragePool", between_transposes, 1, provider_nhwc_domain},
      {"GlobalLpPool", between_transposes, 1, provider_nhwc_domain},
      {"GlobalMaxPool", between_transposes, 1, provider_nhwc_domain},
      {"GridSample", between_transposes, 1, provider_nhwc_domain},
      {"InstanceNormalization", between_transposes, 1, provider_nhwc_domain},
      {"LRN", between_transposes, 1, provider_nhwc_domain},
      {"LpPool", between_transposes, 1, provider_nhwc_domain},
      {"MaxPool", between_transposes, 1, provider_nhwc_domain},
      {"QLinearConv", between_transposes, 1, provider_nhwc_domain},
      {"Resize", nhwc_resize, 1, provider_nhwc_domain},
      {"SpaceToDepth", between_transposes, 1, provider_nhwc_domain},
  };
  return rows;
}

}  // namespace ortool
