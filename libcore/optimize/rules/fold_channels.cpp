// What scales and shifts each channel goes into the weights of the convolution beside it.
#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/batch_normalization.hpp"
#include "libcore/ops/nn/conv.hpp"
#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Before it operands were broadcast by an attribute.
constexpr std::int64_t opset_with_broadcasting = 7;
constexpr std::int64_t most_channels = std::int64_t{1} << 20;

/// y = x * scale + shift, a number of each a channel.
struct ChannelMap {
  std::vector<double> scale;
  std::vector<double> shift;
};

std::vector<double> doubles_of(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.element_count()));
  read_doubles(tensor, 0, numbers);
  return numbers;
}

bool is_common_float(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::float64;
}

/// What an inference BatchNormalization with constant operands does.
std::optional<ChannelMap> map_of_norm(const Node& norm) {
  const auto op = read_op<BatchNormalization>(norm);
  if (op.is_training || !op.is_per_channel) return std::nullopt;
  for (std::int64_t i = 1; i < norm.output_count(); ++i) {
    if (norm.output(i) != nullptr) return std::nullopt;
  }
  std::vector<std::vector<double>> operands;
  for (std::int64_t i = 1; i < 5; ++i) {
    const Value* input = norm.input(i);
    if (input == nullptr || !input->is_constant() || !is_common_float(input->constant().type()) ||
        input->constant().element_count() > most_channels)
      return std::nullopt;
    operands.push_back(doubles_of(input->constant()));
    if (operands.back().size() != operands.front().size()) return std::nullopt;
  }
  ChannelMap map;
  for (std::size_t c = 0; c < operands[0].size(); ++c) {
    const double scale =
        operands[0][c] / std::sqrt(operands[3][c] + static_cast<double>(op.epsilon));
    map.scale.push_back(scale);
    map.shift.push_back(operands[1][c] - operands[2][c] * scale);
  }
  return map;
}

/// A number a channel of an image of `rank` axes, from a constant that broadcasts to it.
std::optional<std::vector<double>> channel_numbers(const Value& value, std::int64_t rank,
                                                   std::int64_t channels) {
  if (!value.is_constant() || !is_common_float(value.constant().type())) return std::nullopt;
  const Tensor& tensor = value.constant();
  const Shape& shape = tensor.shape();
  if (channels <= 0 || channels > most_channels || shape.rank() > rank) return std::nullopt;
  if (tensor.element_count() == 1)
    return std::vector<double>(static_cast<std::size_t>(channels), element_as_double(tensor, 0));
  for (std::int64_t i = 0; i < shape.rank(); ++i) {
    const bool is_channel = rank - shape.rank() + i == 1;
    if (shape[i] != (is_channel ? channels : 1)) return std::nullopt;
  }
  return doubles_of(tensor);
}

/// How many channels come out of the convolution; -1 where that is not known.
std::int64_t channels_of(const Value& image) {
  const Dimensions* dimensions = dimensions_of(image);
  return dimensions != nullptr && dimensions->size() >= 2 ? (*dimensions)[1].number() : -1;
}

/// What the root does to each channel of `conv`.
std::optional<ChannelMap> map_of(const Match& match) {
  const Node& root = match.root();
  if (root.op_type() == "BatchNormalization") return map_of_norm(root);
  if (match.graph().opset("") < opset_with_broadcasting) return std::nullopt;
  const Value& conv = match["conv"];
  const std::int64_t channels = channels_of(conv);
  const auto numbers = channel_numbers(match["operand"], rank_of(conv), channels);
  if (!numbers) return std::nullopt;
  const std::vector<double> ones(numbers->size(), 1);
  const std::vector<double> zeros(numbers->size(), 0);
  ChannelMap map{ones, zeros};
  for (std::size_t c = 0; c < numbers->size(); ++c) {
    const double number = (*numbers)[c];
    if (root.op_type() == "Mul") map.scale[c] = number;
    if (root.op_type() == "Div") map.scale[c] = 1 / number;
    if (root.op_type() == "Add") map.shift[c] = number;
    if (root.op_type() == "Sub") map.shift[c] = -number;
  }
  return map;
}

/// Each weight times the number of its channel, which is axis 0 (of ConvTranspose: axis 1 within a
/// group of `groups`).
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

Tensor vector_of(DataType type, const std::vector<double>& numbers) {
  Tensor tensor(type, Shape({static_cast<std::int64_t>(numbers.size())}));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    set_element(tensor, static_cast<std::int64_t>(i), numbers[i]);
  return tensor;
}

std::int64_t groups_of(const Node& conv) {
  const Attribute* group = conv.find_attribute("group");
  const auto* number = group != nullptr ? std::get_if<std::int64_t>(&group->value) : nullptr;
  return number != nullptr ? *number : 1;
}

Verdict can_fold(const Match& match) {
  const Node& conv = match.node("conv");
  const Tensor& weights = match["weights"].constant();
  if (!is_common_float(weights.type()) || weights.shape().rank() < 3)
    return no("the weights are of another type");
  const Value* bias = match.find("bias");
  if (bias != nullptr && !bias->is_constant()) return no("the bias is no constant");
  const std::optional<ChannelMap> map = map_of(match);
  if (!map) return no("what follows the convolution is not a constant number a channel");
  const bool is_transposed = conv.op_type() == "ConvTranspose";
  const std::int64_t channels =
      is_transposed ? weights.shape()[1] * groups_of(conv) : weights.shape()[0];
  if (static_cast<std::int64_t>(map->scale.size()) != channels)
    return no("the numbers are not as many as channels");
  if (!have_equal_types(match["conv"], match.result()))
    return no("nothing says that the shape stays the same");
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!std::all_of(map->scale.begin(), map->scale.end(), is_finite) ||
      !std::all_of(map->shift.begin(), map->shift.end(), is_finite))
    return no("a factor is not finite");
  return yes();
}

Value& fold(Replacement& replacement) {
  const Match& match = replacement.match();
  const Node& conv = match.node("conv");
  const Tensor& weights = match["weights"].constant();
  const ChannelMap map = *map_of(match);
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

/// Whether nothing stands around the image when the window slides over it.
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
  const Pattern operand = constant("operand");
  return {
      .name = "fold-channel-operand",
      .summary = "Conv(x) times or plus a constant a channel -> Conv(x), or of ConvTranspose",
      .is_for_files = true,
      .pattern = any_of({op("Mul", {convolution(), operand}), op("Add", {convolution(), operand}),
                         op("Div", {convolution(), operand}), op("Sub", {convolution(), operand})}),
      .where = can_fold,
      .replace = fold};
}

/// Pads are zeros of what the convolution reads, so a shift must not come between.
Rule fold_batch_norm_before() {
  const Pattern norm = op("BatchNormalization", {any("x"), any(), any(), any(), any()}).as("norm");
  return {.name = "fold-batch-norm-before",
          .summary = "Conv(BatchNormalization(x)) -> Conv(x), without pads",
          .pattern = op("Conv", {norm, constant("weights"), maybe(any("bias"))}),
          .where =
              [](const Match& match) {
                const Tensor& weights = match["weights"].constant();
                if (!is_common_float(weights.type()) || weights.shape().rank() < 3)
                  return no("the weights are of another type");
                const Value* bias = match.find("bias");
                if (bias != nullptr && !bias->is_constant()) return no("the bias is no constant");
                const std::optional<ChannelMap> map = map_of_norm(match.node("norm"));
                if (!map) return no("it is not a constant number a channel");
                const auto conv = read_op<Conv>(match.root());
                if (!is_unpadded(conv) && !is_zero(map->shift))
                  return no("the convolution reads pads, which are not shifted");
                const auto channels = static_cast<std::int64_t>(map->scale.size());
                return channels == weights.shape()[1] * conv.groups
                           ? yes()
                           : no("the numbers are not as many as channels");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Tensor& weights = match["weights"].constant();
            const ChannelMap map = *map_of_norm(match.node("norm"));
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

/// The second one's numbers applied to the first's, with a variance of 1.
Rule merge_batch_norms() {
  const Pattern first =
      op("BatchNormalization", {any("x"), any(), any(), any(), any()}).as("first");
  return {.name = "merge-batch-norms",
          .summary = "BatchNormalization(BatchNormalization(x)) -> BatchNormalization(x)",
          .pattern = op("BatchNormalization", {first, any(), any(), any(), any()}),
          .where =
              [](const Match& match) {
                const auto inner = map_of_norm(match.node("first"));
                const auto outer = map_of_norm(match.root());
                if (!inner || !outer || inner->scale.size() != outer->scale.size())
                  return no("one of them is not a constant number a channel");
                return yes();
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const ChannelMap inner = *map_of_norm(match.node("first"));
            const ChannelMap outer = *map_of_norm(match.root());
            ChannelMap both;
            for (std::size_t c = 0; c < inner.scale.size(); ++c) {
              both.scale.push_back(inner.scale[c] * outer.scale[c]);
              both.shift.push_back(inner.shift[c] * outer.scale[c] + outer.shift[c]);
            }
            const DataType type = match.root().input(1)->constant().type();
            const std::vector<double> zeros(inner.scale.size(), 0);
            const std::vector<double> ones(inner.scale.size(), 1);
            const auto vector = [&](const std::vector<double>& numbers) {
              return &replacement.constant(vector_of(type, numbers));
            };
            return replacement.add_like(
                match.root(),
                {&match["x"], vector(both.scale), vector(both.shift), vector(zeros), vector(ones)},
                {{"epsilon", 0.0F}});
          }};
}

}  // namespace ortool
