// Node queries: operators that are not in the catalog are assumed to do anything.
#include "libcore/optimize/rewrite/node_facts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>

#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

/// Larger tensors are weights.
constexpr std::int64_t max_tensor_bytes = 4096;

void append(std::string& text, std::string_view part) {
  const std::size_t size = part.size();
  text.append(reinterpret_cast<const char*>(&size), sizeof size);
  text.append(part);
}

template <typename T>
void append_number(std::string& text, T number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

bool append_tensor(const Tensor& tensor, std::string& text) {
  if (tensor.type() == DataType::string || tensor.size_bytes() > max_tensor_bytes) return false;
  append_number(text, tensor.type());
  append(text, tensor.shape().to_string());
  append(text, {reinterpret_cast<const char*>(tensor.bytes()),
                static_cast<std::size_t>(tensor.size_bytes())});
  return true;
}

struct ValueAppender {
  std::string& text;

  bool operator()(float number) const {
    append_number(text, std::bit_cast<std::uint32_t>(number));
    return true;
  }
  bool operator()(std::int64_t number) const {
    append_number(text, number);
    return true;
  }
  bool operator()(const std::string& value) const {
    append(text, value);
    return true;
  }
  bool operator()(const Tensor& tensor) const { return append_tensor(tensor, text); }
  template <typename T>
  bool operator()(const std::vector<T>& values) const {
    append_number(text, values.size());
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::string>)
      return std::all_of(values.begin(), values.end(), *this);
    return false;
  }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

bool may_change(const Node& node) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  return entry == nullptr || entry->traits.has(OpTrait::random);
}

const Tensor* constant_of(const Value& value) {
  const Value* origin = &value;
  while (origin->captured() != nullptr) origin = origin->captured();
  return origin->is_constant() ? &origin->constant() : nullptr;
}

std::vector<Value*> outputs_of(const Node& node) {
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) != nullptr) outputs.push_back(node.output(i));
  }
  return outputs;
}

std::vector<Value*> inputs_of(const Node& node) {
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr) inputs.push_back(node.input(i));
  }
  for (std::int64_t i = 0; i < node.implicit_input_count(); ++i)
    inputs.push_back(node.implicit_input(i));
  return inputs;
}

bool append_attributes(const Node& node, std::string& text) {
  std::vector<const Attribute*> attributes;
  for (const Attribute& attribute : node.attributes()) attributes.push_back(&attribute);
  std::sort(attributes.begin(), attributes.end(),
            [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
  for (const Attribute* attribute : attributes) {
    if (!attribute->reference.empty()) return false;
    append(text, attribute->name);
    append_number(text, attribute->value.index());
    if (!std::visit(ValueAppender{text}, attribute->value)) return false;
  }
  return true;
}

}  // namespace ortool
