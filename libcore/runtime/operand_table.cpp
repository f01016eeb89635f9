// The shape rules of operators, run on numbers.
#include "libcore/runtime/operand_table.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

std::optional<Dimensions> dimensions_of(const Operand& operand) {
  if (operand.type != DataType::int64 && operand.type != DataType::int32) return std::nullopt;
  if (operand.shape.rank() > 1 || operand.shape.element_count() > most_known_elements)
    return std::nullopt;
  if (operand.known == nullptr)
    return Dimensions(static_cast<std::size_t>(operand.shape.element_count()));
  Dimensions result;
  for (const std::int64_t number : integers_of(*operand.known)) result.emplace_back(number);
  return result;
}

class ConcreteContext : public InferContext {
 public:
  ConcreteContext(const Node& node, const OperandTable& table, std::vector<const Value*>& wanted)
      : node_(node), table_(table), wanted_(wanted) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Operand* operand = node.input(i) != nullptr ? &table.at(node.input(i)) : nullptr;
      operands_.push_back(operand);
      input_types_.push_back(operand != nullptr
                                 ? ValueType::tensor(operand->type, to_partial(operand->shape))
                                 : ValueType());
    }
    output_types_.resize(static_cast<std::size_t>(node.output_count()));
    output_dimensions_.resize(static_cast<std::size_t>(node.output_count()));
  }

  std::int64_t input_count() const override { return node_.input_count(); }
  std::int64_t output_count() const override { return node_.output_count(); }
  bool has_output(std::int64_t index) const override { return node_.output(index) != nullptr; }

  const ValueType* input_type(std::int64_t index) const override {
    return operand(index) != nullptr ? &input_types_[static_cast<std::size_t>(index)] : nullptr;
  }

  const Tensor* input_value(std::int64_t index) const override {
    const Operand* given = operand(index);
    if (given == nullptr) return nullptr;
    if (given->known == nullptr) wanted_.push_back(node_.input(index));
    return given->known;
  }

  std::optional<Dimensions> input_dimensions(std::int64_t index) const override {
    const Operand* given = operand(index);
    if (given == nullptr) return std::nullopt;
    if (given->known == nullptr) wanted_.push_back(node_.input(index));
    return dimensions_of(*given);
  }

  void set_output_type(std::int64_t index, ValueType type) override {
    if (has_output(index)) output_types_[static_cast<std::size_t>(index)] = std::move(type);
  }

  void set_output_dimensions(std::int64_t index, Dimensions values) override {
    if (has_output(index)) output_dimensions_[static_cast<std::size_t>(index)] = std::move(values);
  }

  const ValueType& output_type(std::int64_t index) const {
    return output_types_[static_cast<std::size_t>(index)];
  }

  /// The output's content, when the rule told all of it.
  std::optional<Tensor> output_value(std::int64_t index, DataType type, const Shape& shape) const {
    const std::optional<Dimensions>& values = output_dimensions_[static_cast<std::size_t>(index)];
    const bool is_integer = type == DataType::int64 || type == DataType::int32;
    if (!values || !is_integer ||
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
      } else {
        tensor.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(number);
      }
    }
    return tensor;
  }

 private:
  const Operand* operand(std::int64_t index) const {
    return index >= 0 && index < node_.input_count() ? operands_[static_cast<std::size_t>(index)]
                                                     : nullptr;
  }

  const Node& node_;
  const OperandTable& table_;
  std::vector<const Value*>& wanted_;
  std::vector<const Operand*> operands_;
  std::vector<ValueType> input_types_;
  std::vector<ValueType> output_types_;
  std::vector<std::optional<Dimensions>> output_dimensions_;
};

}  // namespace

OperandTable::OperandTable(const Graph& graph) {
  for (const Value* value : graph.values()) {
    const auto id = static_cast<std::size_t>(value->id());
    if (operands_.size() <= id) operands_.resize(id + 1);
    if (value->is_constant()) {
      operands_[id] = {value->constant().type(), value->constant().shape(), &value->constant()};
    }
  }
}

const Operand& OperandTable::at(const Value* value) const {
  return operands_[static_cast<std::size_t>(value->id())];
}

std::vector<Operand> OperandTable::gather(const std::vector<Value*>& values) const {
  std::vector<Operand> result;
  result.reserve(values.size());
  for (const Value* value : values) result.push_back(value != nullptr ? at(value) : Operand());
  return result;
}

void OperandTable::set(const Value& value, DataType type, Shape shape, const Tensor* known) {
  operands_[static_cast<std::size_t>(value.id())] = {type, std::move(shape), known};
}

void OperandTable::set_known(const Value& value, Tensor tensor) {
  known_.push_back(std::move(tensor));
  set(value, known_.back().type(), known_.back().shape(), &known_.back());
}

bool OperandTable::infer(const Node& node, std::vector<const Value*>& wanted) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  ORTOOL_CHECK(entry != nullptr);
  wanted.clear();
  ConcreteContext context(node, *this, wanted);
  try {
    entry->infer(node, *version_of(*entry, node), context);
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      if (output == nullptr) continue;
      const ValueType& type = context.output_type(i);
      const std::optional<Shape> shape = type.is_tensor() ? to_known(type.shape) : std::nullopt;
      if (!shape || type.element == DataType::undefined) return false;
      if (std::optional<Tensor> content = context.output_value(i, type.element, *shape)) {
        set_known(*output, std::move(*content));
      } else {
        // Throws when no tensor can be that large.
        static_cast<void>(bytes_of(type.element, shape->element_count()));
        set(*output, type.element, *shape, nullptr);
      }
    }
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type());
  }
  return true;
}

}  // namespace ortool
