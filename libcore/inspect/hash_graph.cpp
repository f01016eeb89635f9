// Hashes every field with its length, so that different graphs cannot give the same input.
#include "libcore/inspect/hash_graph.hpp"

#include <span>
#include <string_view>

#include "libcore/base/sha256.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

class GraphHasher {
 public:
  std::string hash(const Model& model);

 private:
  void text(std::string_view text) {
    number(static_cast<std::int64_t>(text.size()));
    bytes(text.data(), text.size());
  }
  void number(std::int64_t value) { bytes(&value, sizeof(value)); }
  void bytes(const void* data, std::size_t size) {
    const auto* begin = static_cast<const char*>(data);
    buffer_.append(begin, size);
    if (buffer_.size() > max_buffered) flush();
  }
  void flush() {
    hash_.update(std::as_bytes(std::span(buffer_.data(), buffer_.size())));
    buffer_.clear();
  }
  void name_of_value(const Value* value) { text(value != nullptr ? value->name() : ""); }
  void head_of_tensor(const Tensor& tensor) {
    number(static_cast<std::int64_t>(tensor.type()));
    number(tensor.shape().rank());
    for (const std::int64_t size : tensor.shape()) number(size);
  }
  void tensor(const Tensor& tensor);
  void attribute(const Node& node, const Attribute& attribute);
  void node(const Node& node);
  void graph(const Graph& graph);

  static constexpr std::size_t max_buffered = std::size_t{1} << 16U;
  Sha256 hash_;
  std::string buffer_;
};

void GraphHasher::tensor(const Tensor& tensor) {
  head_of_tensor(tensor);
  if (tensor.type() == DataType::string) {
    for (const std::string& element : tensor.strings()) text(element);
  } else {
    bytes(tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes()));
  }
}

void GraphHasher::attribute(const Node& node, const Attribute& attribute) {
  text(attribute.name);
  text(attribute.reference);
  number(static_cast<std::int64_t>(attribute.kind()));
  const Attribute::Value& value = attribute.value;
  const auto list = [&](const auto& items, const auto& each) {
    number(static_cast<std::int64_t>(items.size()));
    for (const auto& item : items) each(item);
  };
  const auto real = [&](float item) { bytes(&item, sizeof(item)); };
  const auto sparse = [&](const SparseTensor& item) {
    tensor(item.values);
    tensor(item.indices);
  };
  const auto type = [&](const ValueType& item) { text(item.to_string()); };
  if (const auto* item = std::get_if<float>(&value)) real(*item);
  if (const auto* item = std::get_if<std::int64_t>(&value)) number(*item);
  if (const auto* item = std::get_if<std::string>(&value)) text(*item);
  if (const auto* item = std::get_if<Tensor>(&value)) {
    // The value of a Constant node is a weight.
    if (node.op_type() == "Constant") {
      head_of_tensor(*item);
    } else {
      tensor(*item);
    }
  }
  if (const auto* items = std::get_if<std::vector<float>>(&value)) list(*items, real);
  if (const auto* items = std::get_if<std::vector<std::int64_t>>(&value)) {
    list(*items, [&](std::int64_t item) { number(item); });
  }
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
    list(*items, [&](const std::string& item) { text(item); });
  }
  if (const auto* items = std::get_if<std::vector<Tensor>>(&value)) {
    list(*items, [&](const Tensor& item) { tensor(item); });
  }
  if (const auto* item = std::get_if<SparseTensor>(&value)) sparse(*item);
  if (const auto* items = std::get_if<std::vector<SparseTensor>>(&value)) list(*items, sparse);
  if (const auto* item = std::get_if<ValueType>(&value)) type(*item);
  if (const auto* items = std::get_if<std::vector<ValueType>>(&value)) list(*items, type);
}

void GraphHasher::node(const Node& node) {
  text(node.has_name_of_its_own() ? node.name() : "");
  text(node.domain());
  text(node.op_type());
  text(node.overload());
  number(node.input_count());
  for (std::int64_t i = 0; i < node.input_count(); ++i) name_of_value(node.input(i));
  number(node.output_count());
  for (std::int64_t i = 0; i < node.output_count(); ++i) name_of_value(node.output(i));
  number(static_cast<std::int64_t>(node.attributes().size()));
  for (const Attribute& each : node.attributes()) attribute(node, each);
}

void GraphHasher::graph(const Graph& graph) {
  for (const auto& [domain, version] : graph.opsets()) {
    text(domain);
    number(version);
  }
  number(static_cast<std::int64_t>(graph.inputs().size()));
  for (const Value* input : graph.inputs()) {
    name_of_value(input);
    number(static_cast<std::int64_t>(input->type().kind));
    number(static_cast<std::int64_t>(input->type().element));
  }
  number(static_cast<std::int64_t>(graph.outputs().size()));
  for (const Value* output : graph.outputs()) name_of_value(output);
  for (const Value* value : graph.values()) {
    if (value->constant().is_empty()) continue;
    name_of_value(value);
    head_of_tensor(value->constant());
  }
  number(graph.node_count());
  for (const Node& each : graph.nodes()) node(each);
}

std::string GraphHasher::hash(const Model& model) {
  for (const Graph* each : graphs_in(model)) graph(*each);
  for (const Function& function : model.functions) {
    text(function.domain);
    text(function.name);
    text(function.overload);
  }
  flush();
  return hash_.finish();
}

}  // namespace

std::string hash_graph(const Model& model) {
  return GraphHasher().hash(model);
}

}  // namespace ortool
