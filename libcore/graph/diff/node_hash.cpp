// Hashes of operators, attributes and samples of tensors.
#include "libcore/graph/diff/node_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "libcore/base/file/file.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::diff {
namespace {

constexpr std::int64_t window_bytes = 4096;
constexpr std::int64_t max_windows = 16;

void add_bytes(Mixer& mixer, const std::byte* bytes, std::int64_t count) {
  mixer.add(
      std::string_view(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)));
}

template <typename T>
void add_numbers(Mixer& mixer, const std::vector<T>& numbers) {
  mixer.add(numbers.size());
  for (const T number : numbers) {
    if constexpr (std::is_same_v<T, float>) {
      mixer.add(std::bit_cast<std::uint32_t>(number));
    } else {
      mixer.add(static_cast<std::uint64_t>(number));
    }
  }
}

}  // namespace

Mixer& Mixer::add(std::uint64_t number) {
  std::uint64_t mixed = state_ ^ (number + 0x9e3779b97f4a7c15U + (state_ << 6U) + (state_ >> 2U));
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  state_ = mixed ^ (mixed >> 31U);
  return *this;
}

Mixer& Mixer::add(std::string_view text) {
  add(text.size());
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(text.size(), sizeof(word));
    std::memcpy(&word, text.data(), taken);
    add(word);
    text.remove_prefix(taken);
  }
  return *this;
}

bool is_constant_node(const Node& node) {
  if (node.op_type() != "Constant" || !node.domain().empty()) return false;
  const Attribute* attribute = node.find_attribute("value");
  return attribute != nullptr && std::holds_alternative<Tensor>(attribute->value);
}

const Value& outermost(const Value& value) {
  const Value* at = &value;
  while (at->captured() != nullptr) at = at->captured();
  return *at;
}

StoredTensor::StoredTensor(const Tensor& tensor)
    : type(tensor.type()), shape(tensor.shape()), content(&tensor) {}

StoredTensor::StoredTensor(DataType data_type, Shape dimensions)
    : type(data_type), shape(std::move(dimensions)) {}

bool is_stored(const Value& value) {
  const Value& outer = outermost(value);
  if (outer.is_constant()) return true;
  return outer.producer() != nullptr && is_constant_node(*outer.producer());
}

std::optional<StoredTensor> stored_tensor(const Value& value) {
  if (!is_stored(value)) return std::nullopt;
  const Value& outer = outermost(value);
  if (!outer.is_constant()) {
    return StoredTensor(std::get<Tensor>(outer.producer()->find_attribute("value")->value));
  }
  if (outer.has_content()) return StoredTensor(outer.constant());
  return StoredTensor(outer.type().element, to_known(outer.type().shape).value_or(Shape()));
}

StoredTensor tensor_of(const Value& value) {
  const Value& outer = outermost(value);
  return outer.has_default() ? StoredTensor(outer.constant()) : *stored_tensor(outer);
}

std::uint64_t NodeHasher::of_content(const Tensor& tensor) {
  if (tensor.type() == DataType::string) {
    Mixer mixer;
    for (const std::string& text : tensor.strings()) mixer.add(text);
    return mixer.value();
  }
  const auto known = contents_.find(tensor.bytes());
  if (known != contents_.end()) return known->second;
  Mixer mixer;
  const std::int64_t size = tensor.size_bytes();
  if (size <= window_bytes * max_windows) {
    add_bytes(mixer, tensor.bytes(), size);
  } else {
    for (std::int64_t i = 0; i < max_windows; ++i) {
      const std::int64_t first = (size - window_bytes) / (max_windows - 1) * i;
      add_bytes(mixer, tensor.bytes() + first, window_bytes);
    }
    // The system maps more pages than requested, which adds up for a large file.
    drop_pages({tensor.bytes(), static_cast<std::size_t>(size)});
  }
  // An empty view may have the same address as another tensor.
  if (size > 0) contents_.emplace(tensor.bytes(), mixer.value());
  return mixer.value();
}

std::uint64_t NodeHasher::of_tensor(const StoredTensor& tensor, HashScope scope) {
  if (scope == HashScope::operator_) return 1;
  Mixer mixer;
  mixer.add(static_cast<std::uint64_t>(tensor.type));
  for (const std::int64_t dimension : tensor.shape) {
    mixer.add(static_cast<std::uint64_t>(dimension));
  }
  if (scope == HashScope::full && reads_weights_) mixer.add(of_content(*tensor.content));
  return mixer.value();
}

std::uint64_t NodeHasher::of_attribute(const Attribute& attribute) {
  Mixer mixer;
  mixer.add(attribute.name).add(attribute.reference).add(attribute.value.index());
  const Attribute::Value& value = attribute.value;
  if (const auto* number = std::get_if<float>(&value)) {
    mixer.add(std::bit_cast<std::uint32_t>(*number));
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    mixer.add(static_cast<std::uint64_t>(*integer));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    mixer.add(*text);
  } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
    mixer.add(of_tensor(StoredTensor(*tensor), HashScope::full));
  } else if (const auto* floats = std::get_if<std::vector<float>>(&value)) {
    add_numbers(mixer, *floats);
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    add_numbers(mixer, *integers);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& item : *texts) mixer.add(item);
  } else if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    for (const Tensor& item : *tensors) mixer.add(of_tensor(StoredTensor(item), HashScope::full));
  } else if (const auto* type = std::get_if<ValueType>(&value)) {
    mixer.add(type->to_string());
  }
  return mixer.value();
}

std::uint64_t NodeHasher::of_plain_label(const Node& node) {
  Mixer mixer;
  mixer.add(node.op_type()).add(node.domain()).add(node.overload());
  // Attributes are unordered.
  std::uint64_t attributes = 0;
  for (const Attribute& attribute : node.attributes()) {
    if (!is_default_ || !is_default_(node, attribute)) attributes += of_attribute(attribute);
  }
  return mixer.add(attributes).value();
}

std::uint64_t NodeHasher::of_graph(const Graph& graph) {
  std::uint64_t sum = 0;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph* next = open.back();
    open.pop_back();
    sum += Mixer().add(next->inputs().size()).add(next->outputs().size()).value();
    for (const Node& node : next->nodes()) {
      Mixer mixer(of_plain_label(node));
      for (std::int64_t i = 0; i < node.input_count(); ++i) {
        const auto stored = node.input(i) != nullptr ? stored_tensor(*node.input(i)) : std::nullopt;
        if (stored) mixer.add(of_tensor(*stored, HashScope::full));
      }
      if (!is_constant_node(node)) sum += mixer.value();
      for (const Graph* inside : node.subgraphs()) open.push_back(inside);
    }
  }
  return sum;
}

std::uint64_t NodeHasher::of_label(const Node& node, HashScope scope) {
  auto known = labels_.find(&node);
  if (known == labels_.end()) {
    Mixer mixer(of_plain_label(node));
    for (const Graph* graph : node.subgraphs()) mixer.add(of_graph(*graph));
    const std::uint64_t name = Mixer().add(node.op_type()).add(node.domain()).value();
    known = labels_.emplace(&node, Labels{mixer.value(), Mixer(name).add(node.overload()).value()})
                .first;
  }
  return scope == HashScope::full ? known->second.full : known->second.name;
}

}  // namespace ortool::diff
