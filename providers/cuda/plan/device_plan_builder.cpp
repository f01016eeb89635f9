// DevicePlanBuilder: operands on the host and on the device.
#include "providers/cuda/plan/device_plan_builder.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/attribute_reader.hpp"
#include "libcore/provider/shape_rule.hpp"
#include "providers/cuda/plan/chain.hpp"

namespace ortool::cuda {

DevicePlanBuilder::DevicePlanBuilder(std::shared_ptr<Device> device, const ConstantPool& constants,
                                     const ProductGroups& groups, std::span<Value* const> values,
                                     const PrepareContext& context)
    : device_(std::move(device)),
      constants_(constants),
      product_groups_(groups),
      context_(context) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != nullptr) positions_.emplace(values[i], i);
  }
}

void DevicePlanBuilder::infer(const Node& node) {
  std::vector<Operand> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    inputs.push_back(value != nullptr ? operand(*value) : Operand{});
    inputs.back().known.forget_reads();
  }
  std::vector<std::int64_t> wanted;
  std::vector<RuledOutput> outputs = apply_shape_rule(node, inputs, wanted);
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value == nullptr || !inputs[static_cast<std::size_t>(i)].known.was_read()) continue;
    const auto position = positions_.find(value);
    if (position != positions_.end())
      static_cast<void>(context_.inputs[position->second].known.read_value());
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* value = node.output(i);
    if (value == nullptr) continue;
    RuledOutput& output = outputs[static_cast<std::size_t>(i)];
    if (!output.shape) {
      throw Error(ErrorCode::unsupported,
                  "the shape of an output depends on data that only the device knows",
                  "run the node on the cpu: --node-provider 'NAME=cpu'")
          .at_node(node.name(), node.op_type());
    }
    Operand& operand = inner_[value];
    operand = {.type = output.type, .shape = std::move(*output.shape)};
    if (!output.content) continue;
    contents_.push_back(std::move(*output.content));
    operand.known = KnownContent(&contents_.back());
  }
}

bool DevicePlanBuilder::is_known(const Node& node) const {
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* value = node.output(i);
    if (value != nullptr && inner_.at(value).known.peek_value() == nullptr) return false;
  }
  return true;
}

bool DevicePlanBuilder::has_input(const Node& node, std::int64_t index) const {
  return index >= 0 && index < node.input_count() && node.input(index) != nullptr;
}

const Operand& DevicePlanBuilder::operand(const Value& value) const {
  const auto inner = inner_.find(&value);
  if (inner != inner_.end()) return inner->second;
  return context_.inputs[positions_.at(&value)];
}

const Shape& DevicePlanBuilder::shape(const Node& node, std::int64_t input) const {
  return operand(*node.input(input)).shape;
}

const Shape& DevicePlanBuilder::output_shape(const Node& node, std::int64_t output) const {
  return operand(*node.output(output)).shape;
}

DataType DevicePlanBuilder::output_type(const Node& node, std::int64_t output) const {
  return operand(*node.output(output)).type;
}

const Tensor* DevicePlanBuilder::known(const Node& node, std::int64_t input) const {
  return has_input(node, input) ? operand(*node.input(input)).known.read_value() : nullptr;
}

std::vector<std::int64_t> DevicePlanBuilder::integers(const Node& node, std::int64_t input) const {
  const Tensor* content = known(node, input);
  if (content != nullptr) return integers_of(content->aligned());
  throw Error(ErrorCode::unsupported,
              format("input {} depends on data that is computed during the run", input),
              "make it a constant, or compute it from shapes")
      .at_node(node.name(), node.op_type());
}

DeviceTensor DevicePlanBuilder::transfer_in(const Value& value, std::size_t position) {
  const Operand& operand = context_.inputs[position];
  const std::int64_t bytes = bytes_of(operand.type, operand.shape.element_count());
  DeviceTensor tensor = {operand.type, operand.shape,
                         parts_.command_list.add_buffer(std::max<std::int64_t>(1, bytes))};
  parts_.inputs.push_back({position, tensor.memory, bytes});
  static_cast<void>(value);
  return converted(tensor, constants_.stored_type(operand.type));
}

void DevicePlanBuilder::defer(const Value& value, std::function<void()> emit) {
  deferred_[&value] = std::move(emit);
}

void DevicePlanBuilder::make_deferred(const Value& value) {
  const auto found = deferred_.find(&value);
  if (found == deferred_.end() || !found->second) return;
  const std::function<void()> emit = std::exchange(found->second, {});
  const Node* reader = parts_.command_list.node();
  parts_.command_list.set_node(value.producer());
  emit();
  parts_.command_list.set_node(reader);
}

DeviceTensor DevicePlanBuilder::stored_tensor(const Value& value) {
  make_deferred(value);
  const auto found = tensors_.find(&value);
  if (found != tensors_.end()) return found->second;
  DeviceTensor result;
  const Operand& operand = this->operand(value);
  if (const StoredConstant* constant = constants_.find(value)) {
    const DeviceBuffer& buffer = *constant->buffer;
    result = {constants_.stored_type(operand.type), operand.shape,
              parts_.command_list.add_fixed(buffer.data(), buffer.bytes()).plus(constant->offset),
              constant->is_channels_last};
  } else if (const Tensor* content = operand.known.peek_value();
             content != nullptr && (value.is_constant() || inner_.contains(&value))) {
    static_cast<void>(operand.known.read_value());
    result = upload(*content);
  } else {
    const auto position = positions_.find(&value);
    ORTOOL_CHECK(position != positions_.end());
    result = transfer_in(value, position->second);
  }
  tensors_[&value] = result;
  return result;
}

DeviceTensor DevicePlanBuilder::tensor_in(const Value& value, bool is_channels_last) {
  DeviceTensor stored = stored_tensor(value);
  // Scales that are kept in float32.
  if (const DataType wanted = constants_.stored_type(stored.type); wanted != stored.type) {
    constexpr std::int64_t kind = -1;
    DeviceTensor& narrow = derived(stored, kind);
    if (!narrow.is_given()) narrow = converted(stored, wanted);
    stored = narrow;
  }
  if (stored.is_channels_last == is_channels_last) return stored;
  DeviceTensor& copy = copies_[&value];
  if (!copy.is_given()) copy = in_layout(stored, is_channels_last);
  return copy;
}

DeviceTensor DevicePlanBuilder::tensor(const Value& value) {
  return tensor_in(value, false);
}

DeviceTensor DevicePlanBuilder::input(const Node& node, std::int64_t index) {
  return has_input(node, index) ? tensor(*node.input(index)) : DeviceTensor{};
}

DeviceTensor DevicePlanBuilder::stored_input(const Node& node, std::int64_t index) {
  return has_input(node, index) ? stored_tensor(*node.input(index)) : DeviceTensor{};
}

DeviceTensor DevicePlanBuilder::input_in(const Node& node, std::int64_t index,
                                         bool is_channels_last) {
  return has_input(node, index) ? tensor_in(*node.input(index), is_channels_last) : DeviceTensor{};
}

DeviceTensor DevicePlanBuilder::in_layout(const DeviceTensor& tensor, bool is_channels_last) {
  if (!tensor.is_given() || tensor.is_channels_last == is_channels_last) return tensor;
  if (tensor.shape[1] == 1 || tensor.shape[2] * tensor.shape[3] == 1) {
    DeviceTensor same = tensor;
    same.is_channels_last = is_channels_last;
    return same;
  }
  const DeviceTensor result = make(tensor.type, tensor.shape, is_channels_last);
  Chain(*this, tensor, tensor.shape).store(result);
  return result;
}

DeviceTensor DevicePlanBuilder::make(DataType stored, Shape shape, bool is_channels_last) {
  const std::int64_t bytes = bytes_of(stored, shape.element_count());
  // Before tables are made for it.
  const DeviceMemory memory = device_->memory();
  const std::int64_t most = memory.limit_bytes > 0 ? memory.limit_bytes : memory.total_bytes;
  if (most > 0 && bytes > most)
    throw Error(
        ErrorCode::memory_limit,
        format("a value of {} bytes does not fit in the {} bytes of the GPU's memory", bytes, most),
        "use smaller batches, or raise --provider-option cuda.memory-limit");
  return {stored, std::move(shape),
          parts_.command_list.add_buffer(std::max<std::int64_t>(1, bytes)), is_channels_last};
}

DeviceTensor DevicePlanBuilder::make_output(const Node& node, std::int64_t output,
                                            bool is_channels_last) {
  const Value* value = node.output(output);
  const Operand& operand = this->operand(*value);
  DeviceTensor tensor = make(constants_.stored_type(operand.type), operand.shape, is_channels_last);
  tensors_[value] = tensor;
  return tensor;
}

void DevicePlanBuilder::set_output(const Node& node, std::int64_t output, DeviceTensor tensor) {
  set(*node.output(output), std::move(tensor));
}

void DevicePlanBuilder::set(const Value& value, DeviceTensor tensor) {
  tensors_[&value] = std::move(tensor);
}

DeviceTensor DevicePlanBuilder::converted(const DeviceTensor& tensor, DataType stored) {
  if (tensor.type == stored) return tensor;
  DeviceTensor result = make(stored, tensor.shape, tensor.is_channels_last);
  Chain chain(*this, tensor, tensor.shape);
  if (stored == DataType::float16) chain.keep_within(65504.0);
  chain.store(result);
  return result;
}

DeviceTensor DevicePlanBuilder::upload(const Tensor& content) {
  parts_.constants.push_back(constants_.upload(content));
  const DeviceBuffer& buffer = *parts_.constants.back();
  return {constants_.stored_type(content.type()), content.shape(),
          parts_.command_list.add_fixed(buffer.data(), buffer.bytes())};
}

EncodedPointer DevicePlanBuilder::upload_constant(const void* bytes, std::int64_t count) {
  auto buffer =
      std::make_shared<DeviceBuffer>(device_, std::max<std::int64_t>(1, count), "a table");
  if (count > 0) device_->write(buffer->data(), bytes, count);
  parts_.constants.push_back(buffer);
  return parts_.command_list.add_fixed(buffer->data(), count);
}

DeviceTensor DevicePlanBuilder::upload_float(float value) {
  auto buffer = std::make_shared<DeviceBuffer>(device_, sizeof(value), "a number");
  device_->write(buffer->data(), &value, sizeof(value));
  parts_.constants.push_back(buffer);
  return {DataType::float32, Shape{}, parts_.command_list.add_fixed(buffer->data(), sizeof(value))};
}

void* DevicePlanBuilder::status() {
  if (parts_.status.is_null())
    parts_.status = parts_.command_list.add_buffer(sizeof(std::int32_t), true);
  return parts_.status.as_pointer();
}

std::int32_t DevicePlanBuilder::status_of(const Node& node) {
  std::int32_t& status = statuses_[&node];
  if (status == 0) {
    parts_.status_nodes.push_back(&node);
    status = static_cast<std::int32_t>(parts_.status_nodes.size());
  }
  return status;
}

PlanParts DevicePlanBuilder::finish(std::span<Value* const> outputs) {
  parts_.command_list.set_node(nullptr);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr) continue;
    const Operand& operand = this->operand(*outputs[i]);
    if (const Tensor* content = operand.known.read_value()) {
      parts_.known.push_back({i, *content});
      continue;
    }
    const DeviceTensor stored = converted(tensor(*outputs[i]), operand.type);
    parts_.outputs.push_back(
        {i, stored.memory, bytes_of(operand.type, operand.shape.element_count())});
  }
  return std::move(parts_);
}

}  // namespace ortool::cuda
