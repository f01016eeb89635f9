// Batch-normalization folding: per-channel scale and shift go into convolution weights.
#include <algorithm>
#include <optional>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/channel_affine.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The per-channel map that the root applies to `conv`.
std::optional<ChannelAffineMap> map_of(const Match& match) {
  const Node& root = match.root();
  if (root.op_type() == "BatchNormalization") return affine_of_norm(root);
  return affine_of_operand(root, match["operand"], match["conv"]);
}

/// Multiplies weights by their channel's scale; channels are axis 0 (for ConvTranspose: axis 1
/// within each of `groups` groups).
Tensor scaled_weights(const Tensor& weights, const std::vector<double>& scale, bool is_transposed,
                      std::int64_t groups) {
  Tensor result(weights.type(), weights.shape());
  const std::int64_t rows = weights.shape()[0];
  const std::int64_t columns = is_transposed ? weights.shape()[1] : 1;
  const std::int64_t inner = rows * columns == 0 ? 0 : weights.element_count() / (rows * columns);
  std::vector<double> line(static_cast<std::size_t>(inner));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t first = (row * columns + column) * inner;
      const std::int64_t channel = is_transposed ? row / (rows / groups) * columns + column : row;
      const double factor = scale[static_cast<std::size_t>(channel)];
      read_doubles(weights, first, line);
      for (std::int64_t i = 0; i < inner; ++i)
        set_element(result, first + i, line[static_cast<std::size_t>(i)] * factor);
    }
  }
  return result;
}

std::int64_t groups_of(const Node& conv) {
  const Attribute* group = conv.find_attribute("group");
  const auto* number = group != nullptr ? std::get_if<std::int64_t>(&group->value) : nullptr;
  return number != nullptr ? *number : 1;
}

Verdict can_fold(const Match& match) {
  const Node& conv = match.node("conv");
  const Tensor& weights = match["weights"].constant();
  if (!is_channel_type(weights.type()) || weights.shape().rank() < 3)
    return no("the weights are of another type");
  const Value* bias = match.find("bias");
  if (bias != nullptr && !bias->is_constant()) return no("the bias is not a constant");
  const std::optional<ChannelAffineMap> map = map_of(match);
  if (!map) return no("what follows the convolution is not one constant number per channel");
  const bool is_transposed = conv.op_type() == "ConvTranspose";
  const std::int64_t channels =
      is_transposed ? weights.shape()[1] * groups_of(conv) : weights.shape()[0];
  if (static_cast<std::int64_t>(map->scale.size()) != channels)
    return no("the number of constants is not the number of channels");
  if (!have_equal_types(match["conv"], match.result()))
    return no("the shape is not known to stay the same");
  if (!map->is_finite()) return no("a factor is not finite");
  return yes();
}

Value& fold(Replacement& replacement) {
  const Match& match = replacement.match();
  const Node& conv = match.node("conv");
  const Tensor& weights = match["weights"].constant();
  const ChannelAffineMap map = *map_of(match);
  std::vector<double> bias = map.shift;
  if (const Value* old_bias = match.find("bias")) {
    const std::vector<double> numbers = doubles_of(old_bias->constant());
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += numbers[c] * map.scale[c];
  }
  const bool keeps_weights =
      std::all_of(map.scale.begin(), map.scale.end(), [](double factor) { return factor == 1; });
  Value& new_weights =
      keeps_weights ? match["weights"]
                    : replacement.constant(scaled_weights(
                          weights, map.scale, conv.op_type() == "ConvTranspose", groups_of(conv)));
  return replacement.add_like(
      conv, {&match["x"], &new_weights, &replacement.constant(vector_of(weights.type(), bias))});
}

Pattern convolution() {
  const auto of = [](const char* name) {
    return op(name, {any("x"), constant("weights"), maybe(any("bias"))}).as("conv");
  };
  return any_of({of("Conv"), of("ConvTranspose")});
}

/// Whether the window slides over the image without padding.
bool is_unpadded(const Conv& conv) {
  if (conv.window.auto_pad == AutoPad::valid) return true;
  return conv.window.auto_pad == AutoPad::not_set &&
         std::all_of(conv.window.pads.begin(), conv.window.pads.end(),
                     [](std::int64_t pad) { return pad == 0; });
}

bool is_zero(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double each) { return each == 0; });
}

}  // namespace

Rule fold_batch_norm() {
  return {.name = "fold-batch-norm",
          .summary = "BatchNormalization(Conv(x)) -> Conv(x), or of ConvTranspose",
          .is_for_files = true,
          .pattern = op("BatchNormalization", {convolution(), any(), any(), any(), any()}),
          .where = can_fold,
          .replace = fold};
}

Rule fold_channel_operand() {
  return {.name = "fold-channel-operand",
          .summary = "Conv(x) times or plus a constant per channel -> Conv(x), or of ConvTranspose",
          .is_for_files = true,
          .pattern = with_channel_operand(convolution(), constant("operand")),
          .where = can_fold,
          .replace = fold};
}

/// Padding is zeros of the convolution's input, so a shift before it cannot be folded.
Rule fold_batch_norm_before() {
  const Pattern norm = op("BatchNormalization", {any("x"), any(), any(), any(), any()}).as("norm");
  return {.name = "fold-batch-norm-before",
          .summary = "Conv(BatchNormalization(x)) -> Conv(x), without pads",
          .pattern = op("Conv", {norm, constant("weights"), maybe(any("bias"))}),
          .where =
              [](const Match& match) {
                const Tensor& weights = match["weights"].constant();
                if (!is_channel_type(weights.type()) || weights.shape().rank() < 3)
                  return no("the weights are of another type");
                const Value* bias = match.find("bias");
                if (bias != nullptr && !bias->is_constant())
                  return no("the bias is not a constant");
                const std::optional<ChannelAffineMap> map = affine_of_norm(match.node("norm"));
                if (!map) return no("it is not one constant number per channel");
                const auto conv = read_op<Conv>(match.root());
                if (!is_unpadded(conv) && !is_zero(map->shift))
                  return no("the convolution reads pads, which are not shifted");
                const auto channels = static_cast<std::int64_t>(map->scale.size());
                return channels == weights.shape()[1] * conv.groups
                           ? yes()
                           : no("the number of constants is not the number of channels");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Tensor& weights = match["weights"].constant();
            const ChannelAffineMap map = *affine_of_norm(match.node("norm"));
            const std::int64_t groups = read_op<Conv>(match.root()).groups;
            const std::int64_t outputs = weights.shape()[0];
            const std::int64_t inputs = weights.shape()[1];
            const std::int64_t inner =
                outputs * inputs == 0 ? 0 : weights.element_count() / (outputs * inputs);
            std::vector<double> bias(static_cast<std::size_t>(outputs));
            if (const Value* old_bias = match.find("bias")) bias = doubles_of(old_bias->constant());
            Tensor scaled(weights.type(), weights.shape());
            std::vector<double> line(static_cast<std::size_t>(inner));
            for (std::int64_t out = 0; out < outputs; ++out) {
              for (std::int64_t in = 0; in < inputs; ++in) {
                const auto channel =
                    static_cast<std::size_t>(out / (outputs / groups) * inputs + in);
                const std::int64_t first = (out * inputs + in) * inner;
                read_doubles(weights, first, line);
                for (std::int64_t i = 0; i < inner; ++i) {
                  const double weight = line[static_cast<std::size_t>(i)];
                  bias[static_cast<std::size_t>(out)] += weight * map.shift[channel];
                  set_element(scaled, first + i, weight * map.scale[channel]);
                }
              }
            }
            return replacement.add_like(match.root(),
                                        {&match["x"], &replacement.constant(std::move(scaled)),
                                         &replacement.constant(vector_of(weights.type(), bias))});
          }};
}

}  // namespace ortool
