// Instance and group normalization fusion from arithmetic.
#include <optional>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/instance_normalization.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_norm_channels = std::int64_t{1} << 20;

/// Whether the mean is over all axes after N and C, and keeps them.
bool is_over_image(const Node& mean, std::int64_t rank) {
  const auto op = read_op<ReduceMean>(mean);
  if (!op.keep_dimensions || !op.axes.is_known() || rank < 3) return false;
  const std::vector<std::int64_t> axes = op.reduced_axes(rank, *op.axes.value);
  return static_cast<std::int64_t>(axes.size()) == rank - 2 && axes.front() == 2;
}

std::int64_t norm_channels(const Value& image) {
  const Dimensions* dimensions = dimensions_of(image);
  const std::int64_t channels =
      dimensions != nullptr && dimensions->size() > 2 ? (*dimensions)[1].number() : -1;
  return channels <= max_norm_channels ? channels : -1;
}

/// A constant that broadcasts to one element per channel, as a vector.
std::optional<Tensor> channel_vector(const Value& value, const Value& image) {
  const std::int64_t channels = norm_channels(image);
  const std::int64_t rank = rank_of(image);
  if (!value.is_constant() || channels < 0 || element_of(value) != element_of(image))
    return std::nullopt;
  const Tensor& tensor = value.constant();
  const Shape& shape = tensor.shape();
  if (shape.rank() > rank) return std::nullopt;
  if (tensor.element_count() == 1)
    return filled(tensor.type(), Shape({channels}), element_as_double(tensor, 0));
  for (std::int64_t i = 0; i < shape.rank(); ++i) {
    const bool is_channel = rank - shape.rank() + i == 1;
    if (shape[i] != (is_channel ? channels : 1)) return std::nullopt;
  }
  return tensor.reshaped(Shape({channels}));
}

/// Whether the middle axis of a rank-3 value holds channels: each is scaled, or they are groups
/// that one Reshape splits and the next merges. Otherwise the last axis holds features.
bool has_channels(const Value& norm, const Value& x) {
  if (norm.uses().size() != 1 || norm.is_graph_output()) return false;
  const Node& consumer = *norm.uses().front().node;
  if (consumer.op_type() == "Mul") {
    const Value& operand = *consumer.input(consumer.input(0) == &norm ? 1 : 0);
    return operand.is_constant() && operand.constant().element_count() > 1 &&
           channel_vector(operand, x).has_value();
  }
  const Node* cut = x.producer();
  return consumer.op_type() == "Reshape" && cut != nullptr && cut->op_type() == "Reshape" &&
         rank_of(*cut->input(0)) > 2 && have_equal_types(*cut->input(0), *consumer.output(0));
}

Pattern filled_constant(std::string name, double number) {
  return constant(std::move(name)).where_value([number](const Value& value) {
    return is_filled_with(value, number);
  });
}

Verdict has_channel_vector(const Match& match) {
  if (channel_vector(match["operand"], match["x"])) return yes();
  return no("the constant is not one number per channel");
}

}  // namespace

/// (x - E[x]) / √(E[(x - E[x])²] + ε) over the spatial axes of each channel,
/// https://arxiv.org/abs/1607.08022.
Rule fuse_instance_norm() {
  const Pattern x = any("x");
  const Pattern mean = op("ReduceMean", {x, maybe(any())}).as("mean");
  const Pattern variance =
      op("ReduceMean", {square((x - mean).as("difference")), maybe(any())}).as("variance");
  return {.name = "fuse-instance-norm",
          .summary =
              "(x - mean(x)) / sqrt(mean((x - mean(x))^2) + e) of images -> "
              "InstanceNormalization(x)",
          .pattern = (x - mean) / square_root(op("Add", {variance, scalar("epsilon")})),
          .makes = {"InstanceNormalization"},
          .where =
              [](const Match& match) {
                if (!is_float_tensor(match["x"])) return no("its type is not a float");
                const std::int64_t rank = rank_of(match["x"]);
                if (!is_over_image(match.node("mean"), rank) ||
                    !is_over_image(match.node("variance"), rank))
                  return no("a mean is over axes other than those of an image");
                if (rank == 3 && !has_channels(match.result(), match["x"]))
                  return no("the axis before the last is not known to be the channels");
                return norm_channels(match["x"]) > 0 ? yes()
                                                     : no("the number of channels is unknown");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Shape shape({norm_channels(match["x"])});
            const DataType type = element_of(match["x"]);
            return replacement.add("InstanceNormalization",
                                   {&match["x"], &replacement.constant(filled(type, shape, 1)),
                                    &replacement.constant(filled(type, shape, 0))},
                                   {{"epsilon", static_cast<float>(match.number("epsilon"))}});
          }};
}

Rule fuse_instance_norm_scale() {
  const Pattern norm = op("InstanceNormalization",
                          {any("x"), filled_constant("ones", 1), filled_constant("zeros", 0)})
                           .as("norm");
  return {.name = "fuse-instance-norm-scale",
          .summary = "InstanceNormalization(x) * scale -> InstanceNormalization(x, scale)",
          .pattern = op("Mul", {norm, constant("operand")}),
          .where = has_channel_vector,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            Value& scale = replacement.constant(*channel_vector(match["operand"], match["x"]));
            return replacement.add_like(match.node("norm"), {&match["x"], &scale, &match["zeros"]});
          }};
}

Rule fuse_instance_norm_bias() {
  const Pattern norm =
      op("InstanceNormalization", {any("x"), any("scale"), filled_constant("zeros", 0)}).as("norm");
  return {.name = "fuse-instance-norm-bias",
          .summary = "InstanceNormalization(x) + bias -> InstanceNormalization(x, bias)",
          .pattern = op("Add", {norm, constant("operand")}),
          .where = has_channel_vector,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            Value& bias = replacement.constant(*channel_vector(match["operand"], match["x"]));
            return replacement.add_like(match.node("norm"), {&match["x"], &match["scale"], &bias});
          }};
}

/// Channels split into groups, normalized, and merged again, https://arxiv.org/abs/1803.08494.
Rule fuse_group_norm() {
  const Pattern cut = op("Reshape", {any("x"), any()}).as("cut");
  const Pattern norm =
      op("InstanceNormalization", {cut, filled_constant("ones", 1), filled_constant("zeros", 0)})
          .as("norm");
  const Pattern joined = op("Reshape", {norm, any()}).as("joined");
  return {.name = "fuse-group-norm",
          .summary = "InstanceNormalization of groups of channels, scaled -> GroupNormalization(x)",
          .pattern = op("Add", {op("Mul", {joined, constant("scale")}), constant("bias")}),
          .makes = {"GroupNormalization"},
          .where =
              [](const Match& match) {
                const std::int64_t opset = match.graph().opset("");
                if (opset >= opset_of("GroupNormalization") &&
                    opset < GroupNormalization::opset_of_channel_scales)
                  return no("before opset 21 GroupNormalization scales per group");
                const Dimensions* x = dimensions_of(match["x"]);
                const Dimensions* cut_shape = dimensions_of(match["cut"]);
                if (x == nullptr || cut_shape == nullptr || cut_shape->size() < 3 ||
                    x->size() < 3 || !are_equal((*x)[0], (*cut_shape)[0]) ||
                    !(*cut_shape)[1].is_known() || (*cut_shape)[1].number() < 1 ||
                    norm_channels(match["x"]) < 1 ||
                    norm_channels(match["x"]) % (*cut_shape)[1].number() != 0)
                  return no("the channels are not known to be split into groups");
                if (!have_equal_types(match["x"], match.result()))
                  return no("the groups are not known to be joined to the same shape");
                for (const std::string_view name : {"scale", "bias"}) {
                  if (!channel_vector(match[name], match["x"]))
                    return no("scale or bias is not one number per channel");
                }
                return yes();
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const float epsilon = read_op<InstanceNormalization>(match.node("norm")).epsilon;
            return replacement.add(
                "GroupNormalization",
                {&match["x"], &replacement.constant(*channel_vector(match["scale"], match["x"])),
                 &replacement.constant(*channel_vector(match["bias"], match["x"]))},
                {{"epsilon", epsilon}, {"num_groups", (*dimensions_of(match["cut"]))[1].number()}});
          }};
}

}  // namespace ortool
