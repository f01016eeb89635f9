// Per-channel affine maps, computed in double precision and rounded once.
#include "libcore/optimize/rules/channel_affine.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_channels = std::int64_t{1} << 20;

bool are_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double number) { return std::isfinite(number); });
}

}  // namespace

bool ChannelAffineMap::is_finite() const {
  return are_finite(scale) && are_finite(shift);
}

ChannelAffineMap ChannelAffineMap::then(const ChannelAffineMap& next) const {
  ChannelAffineMap both;
  for (std::size_t c = 0; c < scale.size(); ++c) {
    both.scale.push_back(scale[c] * next.scale[c]);
    both.shift.push_back(shift[c] * next.scale[c] + next.shift[c]);
  }
  return both;
}

bool is_channel_type(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::float64;
}

std::vector<double> doubles_of(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.element_count()));
  read_doubles(tensor, 0, numbers);
  return numbers;
}

Tensor vector_of(DataType type, const std::vector<double>& numbers) {
  Tensor tensor(type, Shape({static_cast<std::int64_t>(numbers.size())}));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    set_element(tensor, static_cast<std::int64_t>(i), numbers[i]);
  return tensor;
}

std::int64_t channels_of(const Value& value) {
  const Dimensions* dimensions = dimensions_of(value);
  return dimensions != nullptr && dimensions->size() >= 2 ? (*dimensions)[1].number() : -1;
}

std::optional<std::vector<double>> channel_numbers(const Value& value, std::int64_t rank,
                                                   std::int64_t channels) {
  if (!value.is_constant() || !is_channel_type(value.constant().type())) return std::nullopt;
  const Tensor& tensor = value.constant();
  const Shape& shape = tensor.shape();
  if (channels <= 0 || channels > max_channels || shape.rank() > rank) return std::nullopt;
  if (tensor.element_count() == 1)
    return std::vector<double>(static_cast<std::size_t>(channels), element_as_double(tensor, 0));
  for (std::int64_t i = 0; i < shape.rank(); ++i) {
    const bool is_channel = rank - shape.rank() + i == 1;
    if (shape[i] != (is_channel ? channels : 1)) return std::nullopt;
  }
  return doubles_of(tensor);
}

std::optional<ChannelAffineMap> affine_of_norm(const Node& norm) {
  const auto op = read_op<BatchNormalization>(norm);
  if (op.is_training || !op.is_per_channel) return std::nullopt;
  for (std::int64_t i = 1; i < norm.output_count(); ++i) {
    if (norm.output(i) != nullptr) return std::nullopt;
  }
  std::vector<std::vector<double>> operands;
  for (std::int64_t i = 1; i < 5; ++i) {
    const Value* input = norm.input(i);
    if (input == nullptr || !input->is_constant() || !is_channel_type(input->constant().type()) ||
        input->constant().element_count() > max_channels)
      return std::nullopt;
    operands.push_back(doubles_of(input->constant()));
    if (operands.back().size() != operands.front().size()) return std::nullopt;
  }
  ChannelAffineMap map;
  for (std::size_t c = 0; c < operands[0].size(); ++c) {
    const double scale =
        operands[0][c] / std::sqrt(operands[3][c] + static_cast<double>(op.epsilon));
    map.scale.push_back(scale);
    map.shift.push_back(operands[1][c] - operands[2][c] * scale);
  }
  return map;
}

Pattern with_channel_operand(const Pattern& x, const Pattern& operand) {
  return any_of({op("Mul", {x, operand}), op("Add", {x, operand}), op("Div", {x, operand}),
                 op("Sub", {x, operand})});
}

std::optional<ChannelAffineMap> affine_of_operand(const Node& node, const Value& operand,
                                                  const Value& image) {
  if (node.graph().opset("") < opset_of_broadcasting()) return std::nullopt;
  const auto numbers = channel_numbers(operand, rank_of(image), channels_of(image));
  if (!numbers) return std::nullopt;
  const std::vector<double> ones(numbers->size(), 1);
  const std::vector<double> zeros(numbers->size(), 0);
  ChannelAffineMap map{ones, zeros};
  for (std::size_t c = 0; c < numbers->size(); ++c) {
    const double number = (*numbers)[c];
    if (node.op_type() == "Mul") map.scale[c] = number;
    if (node.op_type() == "Div") map.scale[c] = 1 / number;
    if (node.op_type() == "Add") map.shift[c] = number;
    if (node.op_type() == "Sub") map.shift[c] = -number;
  }
  return map;
}

}  // namespace ortool
