// Contrib operator decomposition, driven by the tables of all families.
#include "libcore/optimize/contrib/decompose_contrib.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/contrib/nchwc_weights.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Table = std::span<const DecompositionRow> (*)();

constexpr Table tables[] = {
    attention_decompositions,
    causal_conv_decompositions,
    channels_last_decompositions,
    decoder_attention_decompositions,
    flex_attention_decompositions,
    fused_decompositions,
    gated_delta_net_decompositions,
    hyper_connection_decompositions,
    legacy_decompositions,
    legacy_math_decompositions,
    linear_attention_decompositions,
    longformer_decompositions,
    nchwc_decompositions,
    packed_sequence_decompositions,
    qordered_decompositions,
    quantized_decompositions,
    quantized_product_decompositions,
    relative_position_decompositions,
    signal_decompositions,
    sparse_attention_decompositions,
    text_decompositions,
    vision_decompositions,
    weights_decompositions,
};

std::pair<std::string_view, std::string_view> key(const DecompositionRow& row) {
  return {row.domain, row.op_type};
}

const std::vector<DecompositionRow>& all_rows() {
  static const std::vector<DecompositionRow> rows = [] {
    std::vector<DecompositionRow> all;
    for (const Table table : tables) all.insert(all.end(), table().begin(), table().end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return key(a) < key(b); });
    return all;
  }();
  return rows;
}

/// `rows` are sorted.
const DecompositionRow* find_row(std::span<const DecompositionRow> rows, const Node& node) {
  const std::pair<std::string_view, std::string_view> wanted(node.domain(), node.op_type());
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), wanted,
      [](const DecompositionRow& row, const auto& name) { return key(row) < name; });
  return found != rows.end() && key(*found) == wanted ? &*found : nullptr;
}

/// Whether the row makes all outputs of the node, and the node's version is known.
bool serves(const DecompositionRow& row, const Node& node) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  if (entry != nullptr && version_of(*entry, node) == nullptr) return false;
  for (std::int64_t i = row.outputs; i < node.output_count(); ++i) {
    if (node.output(i) != nullptr) return false;
  }
  return true;
}

/// Makes the node that produces `made` produce `output` instead, which has no producer.
void rename_result(Value& made, Value& output) {
  Node& node = *made.producer();
  Graph& graph = node.graph();
  std::vector<Value*> inputs;
  std::vector<Value*> outer;
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    inputs.push_back(node.input(i));
    outer.push_back(node.input(i) != nullptr ? node.input(i)->captured() : nullptr);
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i)
    outputs.push_back(node.output(i) == &made ? &output : node.output(i));
  std::vector<Attribute> attributes = copy_attributes(node);
  const std::string op_type(node.op_type());
  const std::string domain(node.domain());
  const std::string name(node.name());
  Node* const behind = node.next();
  graph.remove_node(node);
  // A capture disappears with its last use.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (outer[i] != nullptr) inputs[i] = &graph.capture(*outer[i]);
  }
  Node& again = graph.add_node(op_type, domain, inputs, outputs, name, behind);
  for (Attribute& each : attributes) again.set_attribute(std::move(each));
  graph.replace_uses(made, output);
  graph.remove_value(made);
}

/// Removes `node`; `results` take over its outputs and their names.
void give_outputs(Node& node, const Results& results) {
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
  node.graph().remove_node(node);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] != nullptr) rename_result(*results[i], *outputs[i]);
  }
}

}  // namespace

std::int64_t decompose_contrib_operators(Model& model) {
  return decompose(model, all_rows());
}

std::int64_t decompose_products(Model& model) {
  std::vector<DecompositionRow> rows = all_rows();
  // Operators on blocks only go together.
  std::erase_if(rows, [](const DecompositionRow& row) {
    return !row.has_weights && row.domain != nchwc_domain;
  });
  for (DecompositionRow& row : rows) row.outputs = 1;  // a cache is another output
  return decompose(model, rows);
}

std::int64_t decompose(Model& model, std::span<const DecompositionRow> rows) {
  std::int64_t count = 0;
  bool adds_graphs = false;
  const bool has_blocks = std::any_of(rows.begin(), rows.end(),
                                      [](const auto& row) { return row.domain == nchwc_domain; });
  std::deque<Graph*> open = {model.graph.get()};
  while (!open.empty()) {
    Graph* const graph = open.front();
    open.pop_front();
    if (has_blocks && graph->opset(nchwc_domain) > 0) restore_plain_weights(*graph, model.metadata);
    Node* next = nullptr;
    for (Node* node = graph->first_node(); node != nullptr; node = next) {
      next = node->next();
      const DecompositionRow* row = find_row(rows, *node);
      if (row == nullptr || !serves(*row, *node)) continue;
      Node* const before = node->previous();
      // A model of contrib operators alone need not import ONNX's.
      if (graph->opset("") == 0) import_domain(*graph, "", own_opset);
      Decomposition out(*node);
      Results results = row->decompose(out);
      if (results.empty()) continue;
      results.resize(static_cast<std::size_t>(node->output_count()), nullptr);
      adds_graphs = adds_graphs || !node->subgraphs().empty();
      give_outputs(*node, results);
      ++count;
      // New nodes may be contrib operators themselves.
      next = before != nullptr ? before->next() : graph->first_node();
    }
    for (const Node& node : graph->nodes()) {
      for (Graph* held : node.subgraphs()) open.push_back(held);
    }
  }
  if (adds_graphs) make_names_unique(*model.graph);
  if (has_blocks) forget_nchwc_block(model);
  return count;
}

}  // namespace ortool
