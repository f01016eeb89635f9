// Random inputs from SplitMix64, so that a seed gives the same bits everywhere.
#include "libcore/dataset/values/random_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/random_bits.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/symbol_sum.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// In [0, 1), with 24 random bits, so that a float32 represents it exactly.
double fraction_of(RandomBits& random) {
  return static_cast<double>(random.next() >> 40U) * 0x1p-24;
}

/// The number of valid indices into `node`'s data, or 0 when unknown.
std::int64_t gathered_entries(const Node& node) {
  const Value* data = node.input(0);
  if (data == nullptr || !data->type().shape || data->type().shape->empty()) return 0;
  const Dimensions& dimensions = *data->type().shape;
  const auto rank = static_cast<std::int64_t>(dimensions.size());
  if (node.op_type().ends_with("ND")) {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (const Dimension& dimension : dimensions) {
      fewest = std::min(fewest, dimension.is_known() ? dimension.number() : 1);
    }
    return fewest;
  }
  std::int64_t axis = integer_attribute(node, "axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return 0;
  const Dimension& dimension = dimensions[static_cast<std::size_t>(axis)];
  return dimension.is_known() ? dimension.number() : 1;
}

/// The value of a scalar constant, or of a Constant node.
std::optional<double> number_in(const Value* value) {
  if (value == nullptr) return std::nullopt;
  const Tensor* tensor =
      value->is_constant() && value->has_content() ? &value->constant() : nullptr;
  const Node* producer = value->producer();
  if (tensor == nullptr && producer != nullptr && producer->op_type() == "Constant") {
    const Attribute* number = producer->find_attribute("value_float");
    const auto* given = number != nullptr ? std::get_if<float>(&number->value) : nullptr;
    if (given != nullptr) return static_cast<double>(*given);
    const Attribute* attribute = producer->find_attribute("value");
    tensor = attribute != nullptr ? std::get_if<Tensor>(&attribute->value) : nullptr;
  }
  if (tensor == nullptr || !is_arithmetic(tensor->type()) || tensor->element_count() != 1)
    return std::nullopt;
  return element_as_double(*tensor, 0);
}

/// Whether a node is the 1 - x of (1 - x) * -10,000, which masks a softmax.
bool is_mask(const Node& node, std::int64_t index) {
  constexpr double min_factor = 1000;
  if (node.op_type() != "Sub" || index != 1 || node.output(0) == nullptr) return false;
  const std::optional<double> first = number_in(node.input(0));
  if (!first || *first < 1 || *first > 1) return false;
  const std::span<const Use> uses = node.output(0)->uses();
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (use.kind != Use::Kind::input || use.node->op_type() != "Mul") return false;
    const std::optional<double> factor = number_in(use.node->input(1 - use.index));
    return factor && std::abs(*factor) >= min_factor;
  });
}

/// How the graph uses an input's elements.
struct Reading {
  std::int64_t max_entries = 0;  ///< as an index: the least number of entries; 0: not an index
  bool is_shape = false;
  bool is_mask = false;
};

void follow(const Value& value, int depth, Reading& reading) {
  constexpr int max_steps = 8;
  if (depth > max_steps) return;
  for (const Use& use : value.uses()) {
    if (use.kind != Use::Kind::input) continue;
    const Node& node = *use.node;
    const OpTraits& traits = traits_of(node);
    if (use.index == traits.indices) {
      const std::int64_t entries = gathered_entries(node);
      if (entries > 0 && (reading.max_entries == 0 || entries < reading.max_entries)) {
        reading.max_entries = entries;
      }
    }
    if (use.index == traits.shape) reading.is_shape = true;
    if (is_mask(node, use.index)) reading.is_mask = true;
    const bool passes_on = traits.has(OpTrait::data_movement) || node.op_type() == "Cast";
    if (passes_on && use.index == 0 && node.output(0) != nullptr)
      follow(*node.output(0), depth + 1, reading);
  }
}

RandomRange default_range(const Reading& reading, DataType type) {
  if (is_floating_point(type)) return {0, 1};
  if (type == DataType::boolean || reading.is_mask) return {0, 1};
  if (type == DataType::uint8) return {0, 255};
  if (reading.is_shape) return {1, 1};
  if (reading.max_entries > 0) return {0, static_cast<double>(reading.max_entries - 1)};
  const bool is_small = element_bits(type) < 8;
  return {0, is_small ? 1.0 : 9.0};
}

Shape complete_shape(const Value& input, const ValueType& type, SymbolSizes& symbols,
                     std::vector<std::string>& defaulted) {
  if (!type.shape) {
    throw Error(ErrorCode::invalid,
                format("input {} has no known rank, so no random data can be generated for it",
                       quote(input.name())),
                format("give it with {} or {}, such as {} {}=1x3", setting_name("input"),
                       setting_name("shape"), setting_name("shape"), input.name()))
        .with_id("input.random");
  }
  std::vector<std::int64_t> numbers;
  for (const Dimension& dimension : *type.shape) {
    if (dimension.is_known()) {
      numbers.push_back(dimension.number());
      continue;
    }
    if (dimension.is_unknown()) {
      const auto chosen = symbols.find(format("{}_dim_{}", input.name(), numbers.size()));
      if (chosen == symbols.end())
        defaulted.push_back(format("dimension {} of {}", numbers.size(), input.name()));
      numbers.push_back(chosen == symbols.end() ? 1 : chosen->second);
      continue;
    }
    if (symbols.find(dimension.symbol()) == symbols.end()) {
      defaulted.push_back(dimension.symbol());
      const auto sum = called_sum(dimension.symbol(), [&](const std::string& name) {
        return std::optional(symbols.emplace(name, 1).first->second);
      });
      symbols.emplace(dimension.symbol(), sum.value_or(1));
    }
    numbers.push_back(symbols.find(dimension.symbol())->second);
  }
  return Shape(std::move(numbers));
}

/// Only 0 and 1, with no row fully masked: scores offset by -10,000, or by multiples of it for
/// values above 1, keep only three fractional digits.
void make_mask(Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const std::int64_t row = shape.rank() > 0 ? shape[shape.rank() - 1] : 1;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const bool is_kept = i % row == 0 || element_as_double(tensor, i) >= 0.5;
    if (is_floating_point(tensor.type())) {
      set_element(tensor, i, is_kept ? 1.0 : 0.0);
    } else {
      set_element(tensor, i, std::int64_t{is_kept});
    }
  }
}

Tensor random_tensor(const Value& input, DataType type, Shape shape, RandomBits& random,
                     const std::optional<RandomRange>& range, MemoryCap& cap) {
  if (type == DataType::string) {
    return Tensor::of_strings(
        shape, std::vector<std::string>(static_cast<std::size_t>(shape.element_count()), "text"));
  }
  if (!is_arithmetic(type)) {
    throw Error(ErrorCode::unsupported,
                format("no random data can be generated for input {} of type {}",
                       quote(input.name()), name_of(type)),
                format("give it with {} {}=FILE", setting_name("input"), input.name()))
        .with_id("input.random");
  }
  Reading reading;
  follow(input, 0, reading);
  const RandomRange bounds = range.value_or(default_range(reading, type));
  Tensor tensor(type, std::move(shape), &cap);
  const double width = bounds.high - bounds.low;
  if (type == DataType::float32) {
    for (float& element : tensor.mutable_data<float>()) {
      element = static_cast<float>(bounds.low + fraction_of(random) * width);
    }
    if (reading.is_mask && !range) make_mask(tensor);
    return tensor;
  }
  const bool is_float = is_floating_point(type);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double fraction = fraction_of(random);
    if (is_float) {
      set_element(tensor, i, bounds.low + fraction * width);
    } else {
      const double number = std::min(std::floor(bounds.low + fraction * (width + 1)), bounds.high);
      set_element(tensor, i, static_cast<std::int64_t>(number));
    }
  }
  if (reading.is_mask && !range) make_mask(tensor);
  return tensor;
}

}  // namespace

void learn_symbols(const Value& input, const Shape& shape, SymbolSizes& symbols) {
  const PartialShape& declared = input.type().shape;
  if (!declared || static_cast<std::int64_t>(declared->size()) != shape.rank()) return;
  for (std::size_t i = 0; i < declared->size(); ++i) {
    if ((*declared)[i].is_symbol()) {
      symbols.emplace((*declared)[i].symbol(), shape[static_cast<std::int64_t>(i)]);
    }
  }
}

RunValue random_value(const Value& input, SymbolSizes& symbols, std::vector<std::string>& defaulted,
                      std::uint64_t seed, std::int64_t position,
                      const std::optional<RandomRange>& range, MemoryCap& cap) {
  const ValueType* type = &input.type();
  while (type->kind == ValueType::Kind::optional && type->inner != nullptr) {
    type = type->inner.get();
  }
  const bool is_sequence = type->kind == ValueType::Kind::sequence && type->inner != nullptr;
  if (is_sequence) type = type->inner.get();
  if (!type->is_tensor()) {
    throw Error(ErrorCode::unsupported,
                format("input {} is a {}, which cannot be generated at random", quote(input.name()),
                       input.type().to_string()),
                format("give it with {} {}=FILE", setting_name("input"), input.name()))
        .with_id("input.random");
  }
  const Shape shape = complete_shape(input, *type, symbols, defaulted);
  RandomBits random(seed * 0x2545f4914f6cdd1dU + static_cast<std::uint64_t>(position));
  const auto make = [&] { return random_tensor(input, type->element, shape, random, range, cap); };
  if (!is_sequence) return make();
  constexpr int sequence_length = 2;
  std::vector<RunValue> elements;
  for (int i = 0; i < sequence_length; ++i) elements.emplace_back(make());
  return RunValue::sequence(std::move(elements));
}

}  // namespace ortool
