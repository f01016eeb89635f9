// Cluster editing: new nodes precede the end; nodes that only it needed are removed with it.
#include "libcore/lower/quantized_cluster.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The producers of the inputs, each once.
std::vector<Node*> producers_of(const Node& node) {
  std::vector<Node*> producers;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    Node* producer = input != nullptr ? input->producer() : nullptr;
    if (producer != nullptr &&
        std::find(producers.begin(), producers.end(), producer) == producers.end())
      producers.push_back(producer);
  }
  return producers;
}

/// Removes nodes without consumers, and then their inputs' producers.
void remove_unread(Graph& graph, std::vector<Node*> open) {
  while (!open.empty()) {
    Node* current = open.back();
    open.pop_back();
    std::vector<Value*> outputs;
    bool is_read = false;
    for (std::int64_t i = 0; i < current->output_count(); ++i) {
      Value* output = current->output(i);
      if (output == nullptr) continue;
      outputs.push_back(output);
      is_read = is_read || !output->uses().empty();
    }
    if (is_read) continue;
    const std::vector<Node*> producers = producers_of(*current);
    graph.remove_node(*current);
    for (Value* output : outputs) graph.remove_value(*output);
    for (Node* producer : producers) {
      if (std::find(open.begin(), open.end(), producer) == open.end()) open.push_back(producer);
    }
  }
}

}  // namespace

Value& ClusterEditor::zero_point_of(const Quantization& quantization) const {
  if (quantization.zero_point != nullptr) return *quantization.zero_point;
  const Shape& shape = quantization.scale->constant().shape();
  Tensor zeros(quantization.type, shape);
  std::memset(zeros.mutable_bytes(), 0, static_cast<std::size_t>(zeros.size_bytes()));
  return constant(std::move(zeros));
}

Value& ClusterEditor::add(std::string_view op_type, std::string_view domain,
                          std::initializer_list<Value*> inputs, const Node* like) const {
  return add(op_type, domain, std::vector<Value*>(inputs), like);
}

Value& ClusterEditor::add(std::string_view op_type, std::string_view domain,
                          const std::vector<Value*>& inputs, const Node* like) const {
  Value& output = graph_.add_value("");
  Value* const outputs[] = {&output};
  const std::string_view name =
      like != nullptr && like->has_name_of_its_own() ? like->name() : std::string_view();
  Node& node = graph_.add_node(op_type, domain, inputs, outputs, name, end_);
  if (like == nullptr) return output;
  for (Attribute& attribute : copy_attributes(*like)) node.set_attribute(std::move(attribute));
  return output;
}

void ClusterEditor::finish(Value& value) {
  Value& old = *end_->output(0);
  const bool is_new = value.uses().empty();
  if (!is_new && !old.is_graph_output()) {
    graph_.replace_uses(old, value);
    remove_unread(graph_, {end_});
    return;
  }
  Node* const before = end_->next();
  const std::vector<Node*> producers = producers_of(*end_);
  graph_.remove_node(*end_);
  Value* const outputs[] = {&old};
  if (is_new) {
    make_again(producer(value), outputs, producer(value).name());
    graph_.remove_value(value);
  } else {
    Value* const inputs[] = {&value};
    graph_.add_node("Identity", "", inputs, outputs, {}, before);
  }
  remove_unread(graph_, producers);
}

std::vector<std::string> cluster_names(const Node& end) {
  constexpr std::size_t max_nodes = 64;
  std::vector<const Node*> met = {&end};
  for (std::size_t i = 0; i < met.size() && met.size() < max_nodes; ++i) {
    if (met[i]->op_type() == "DequantizeLinear" && i > 0) continue;
    for (const Node* producer : producers_of(*met[i])) {
      if (std::find(met.begin(), met.end(), producer) == met.end()) met.push_back(producer);
    }
  }
  std::vector<std::string> names;
  for (auto node = met.rbegin(); node != met.rend(); ++node) names.emplace_back((*node)->name());
  return names;
}

Value& clip_bytes(const ClusterEditor& editor, Value& value, const Int8Bounds& bounds,
                  DataType type) {
  if (bounds.are_of(type)) return value;
  Value& low = editor.constant(make_scalar(type, bounds.low));
  Value& high = editor.constant(make_scalar(type, bounds.high));
  return editor.add("Clip", "", {&value, &low, &high});
}

}  // namespace ortool
