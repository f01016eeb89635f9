// Shape rules: an inference context over concrete operands.
#include "libcore/provider/shape_rule.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

/// Of integers, or of booleans as 0 and 1.
std::vector<std::int64_t> elements_of_known(const Tensor& tensor) {
  if (tensor.type() != DataType::boolean) return integers_of(tensor);
  const std::span<const bool> values = tensor.data<bool>();
  return {values.begin(), values.end()};
}

std::optional<Dimensions> dimensions_of(const Operand& operand) {
  if (operand.shape.rank() > 1 || operand.shape.element_count() > max_known_elements)
    return std::nullopt;
  const Tensor* known = operand.known.read_value();
  if (known == nullptr) return Dimensions(static_cast<std::size_t>(operand.shape.element_count()));
  return dimensions_from(elements_of_known(*known));
}

/// Whether a known operand contains the minimum int64, which a Dimension cannot represent:
/// dimensions_from() returns the next value, which is good enough for validation but not as
/// content.
bool has_least_integer(const Operand& operand) {
  const Tensor* known = operand.known.read_value();
  if (known == nullptr) return false;
  const std::vector<std::int64_t> numbers = elements_of_known(*known);
  return std::find(numbers.begin(), numbers.end(), std::numeric_limits<std::int64_t>::min()) !=
         numbers.end();
}

class ConcreteContext : public InferContext {
 public:
  ConcreteContext(const Node& node, std::span<const Operand> inputs,
                  std::vector<std::int64_t>& wanted)
      : node_(node), inputs_(inputs), wanted_(wanted) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Value* value = node.input(i);
      const Operand* operand = this->operand(i);
      if (value == nullptr) {
        input_types_.emplace_back();
      } else if (operand != nullptr) {
        input_types_.push_back(ValueType::tensor(operand->type, to_partial(operand->shape)));
      } else {
        input_types_.push_back(value->type());
      }
    }
    output_types_.resize(static_cast<std::size_t>(node.output_count()));
    output_dimensions_.resize(static_cast<std::size_t>(node.output_count()));
  }

  std::int64_t input_count() const override { return node_.input_count(); }
  std::int64_t output_count() const override { return node_.output_count(); }
  bool has_output(std::int64_t index) const override { return node_.output(index) != nullptr; }

  const ValueType* input_type(std::int64_t index) const override {
    return node_.input(index) != nullptr ? &input_types_[static_cast<std::size_t>(index)] : nullptr;
  }

  const Tensor* input_value(std::int64_t index) const override {
    const Operand* given = operand(index);
    if (given == nullptr) return nullptr;
    const Tensor* known = given->known.read_value();
    if (known == nullptr) lacks(index);
    return known;
  }

  std::optional<Dimensions> input_dimensions(std::int64_t index) const override {
    const Operand* given = operand(index);
    if (given == nullptr || !is_integer(given->type)) return std::nullopt;
    if (given->known.read_value() == nullptr) lacks(index);
    return dimensions_of(*given);
  }

  /// Propagates known elements to outputs; a shape may be valid without them.
  std::optional<KnownElements> input_elements(std::int64_t index) const override {
    const Operand* given = operand(index);
    if (given == nullptr || !is_tracked(given->type)) return std::nullopt;
    if (given->known.read_value() == nullptr) wanted_.push_back(index);
    const std::optional<Dimensions> dimensions = dimensions_of(*given);
    if (!dimensions || has_least_integer(*given)) return std::nullopt;
    return KnownElements(dimensions->begin(), dimensions->end());
  }

  /// Whether the rule asked for unknown content that its shapes depend on.
  bool lacks_content() const { return lacks_content_; }

  void set_output_type(std::int64_t index, ValueType type) override {
    if (has_output(index)) output_types_[static_cast<std::size_t>(index)] = std::move(type);
  }

  void set_output_dimensions(std::int64_t index, Dimensions values) override {
    if (has_output(index)) output_dimensions_[static_cast<std::size_t>(index)] = std::move(values);
  }

  const ValueType& output_type(std::int64_t index) const {
    return output_types_[static_cast<std::size_t>(index)];
  }

  /// The output's content, if the rule inferred all of it.
  std::optional<Tensor> output_value(std::int64_t index, DataType type, const Shape& shape) const {
    const std::optional<Dimensions>& values = output_dimensions_[static_cast<std::size_t>(index)];
    if (!values || !is_tracked(type) ||
        static_cast<std::int64_t>(values->size()) != shape.element_count()) {
      return std::nullopt;
    }
    for (const Dimension& value : *values) {
      if (!value.is_known()) return std::nullopt;
    }
    Tensor tensor(type, shape);
    for (std::size_t i = 0; i < values->size(); ++i) {
      const std::int64_t number = (*values)[i].number();
      if (type == DataType::int64) {
        tensor.mutable_data<std::int64_t>()[i] = number;
      } else if (type == DataType::boolean) {
        tensor.mutable_data<bool>()[i] = number != 0;
      } else {
        tensor.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(number);
      }
    }
    return tensor;
  }

 private:
  static bool is_integer(DataType type) {
    return type == DataType::int64 || type == DataType::int32;
  }
  static bool is_tracked(DataType type) { return is_integer(type) || type == DataType::boolean; }

  void lacks(std::int64_t index) const {
    wanted_.push_back(index);
    lacks_content_ = true;
  }

  /// Null when the input is omitted or not a tensor.
  const Operand* operand(std::int64_t index) const {
    if (node_.input(index) == nullptr || index >= static_cast<std::int64_t>(inputs_.size()))
      return nullptr;
    const Operand& given = inputs_[static_cast<std::size_t>(index)];
    return given.is_given() ? &given : nullptr;
  }

  const Node& node_;
  std::span<const Operand> inputs_;
  std::vector<std::int64_t>& wanted_;
  mutable bool lacks_content_ = false;
  std::vector<ValueType> input_types_;
  std::vector<ValueType> output_types_;
  std::vector<std::optional<Dimensions>> output_dimensions_;
};

}  // namespace

std::vector<RuledOutput> apply_shape_rule(const Node& node, std::span<const Operand> inputs,
                                          std::vector<std::int64_t>& wanted) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  ORTOOL_CHECK(entry != nullptr);
  wanted.clear();
  std::vector<RuledOutput> results(static_cast<std::size_t>(node.output_count()));
  ConcreteContext context(node, inputs, wanted);
  try {
    entry->infer(node, *version_of(*entry, node), context);
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) == nullptr) continue;
      RuledOutput& result = results[static_cast<std::size_t>(i)];
      const ValueType& type = context.output_type(i);
      if (!type.is_tensor() || type.element == DataType::undefined) continue;
      result.type = type.element;
      // A shape inferred without content that it depends on was not validated against that content.
      if (!context.lacks_content()) result.shape = to_known(type.shape);
      if (!result.shape) continue;
      // Throws when no tensor can be that large.
      static_cast<void>(bytes_of(result.type, result.shape->element_count()));
      result.content = context.output_value(i, result.type, *result.shape);
    }
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type());
  }
  return results;
}

}  // namespace ortool
