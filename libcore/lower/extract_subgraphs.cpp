// Subgraph extraction: claims, groups without cycles between them, and copies of their nodes.
#include "libcore/lower/extract_subgraphs.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/algorithms/sort_nodes.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

using NodeSet = std::unordered_set<const Node*>;

bool is_fixed(const Value& value) {
  return captured_root(value).is_constant();
}

constexpr const char* all_constant = "all of its inputs are constants";

/// Whether a known shape has more elements than any tensor (Shape::element_count).
bool is_too_large(const Value& value) {
  if (!value.type().shape) return false;
  constexpr std::int64_t most = std::int64_t{1} << 43;
  std::int64_t count = 1;
  for (const Dimension& dimension : *value.type().shape) {
    if (!dimension.is_known() || dimension.number() == 0) return false;
    if (dimension.number() > most / count) return true;
    count *= dimension.number();
  }
  return false;
}

/// Whether the node dequantizes a weight. Parts have copies of such nodes, as they have of
/// constants, since compilers multiply the integers.
bool is_dequantized_constant(const Node& node) {
  if (node.op_type() != "DequantizeLinear" || !node.domain().empty()) return false;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && !is_fixed(*node.input(i))) return false;
  }
  return true;
}

/// Why no module can compute the node; empty: one may.
std::string host_refusal(const Node& node) {
  if (!node.subgraphs().empty()) return "the node has graphs of its own, which the runtime runs";
  bool has_variable = false;
  const auto fits = [](const Value* value) {
    if (value == nullptr) return true;
    return value->type().is_tensor() && value->type().element != DataType::undefined &&
           value->type().element != DataType::string;
  };
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (!fits(node.input(i))) return "an input is a string or no tensor of a known type";
    has_variable = has_variable || (node.input(i) != nullptr && !is_fixed(*node.input(i)));
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (!fits(node.output(i))) return "an output is a string or no tensor of a known type";
    if (node.output(i) != nullptr && is_too_large(*node.output(i)))
      return "an output is larger than any tensor";
  }
  return has_variable || is_dequantized_constant(node) ? "" : all_constant;
}

/// What a provider takes.
struct TakenNodes {
  NodeSet nodes;
  NodeSet constants;  ///< nodes that dequantize weights
};

/// What `provider` takes; `refused` gets the reasons of the others.
TakenNodes taken_nodes(const Graph& graph, const SubgraphProvider& provider,
                       const PinnedProvider& pinned, const NodeSet& taken_before,
                       SubgraphRefusals& refused) {
  TakenNodes taken;
  std::vector<std::string> refusals = provider.subgraph_refusals(graph);
  std::size_t index = 0;
  for (const Node& node : graph.nodes()) {
    std::string reason = host_refusal(node);
    if (reason.empty()) reason = std::move(refusals.at(index));
    ++index;
    if (taken_before.contains(&node)) continue;
    const std::string pin = pinned ? pinned(node) : std::string();
    if (!pin.empty() && pin != provider.name())
      reason = format("the node is assigned to '{}'", pin);
    if (reason.empty()) {
      (is_dequantized_constant(node) ? taken.constants : taken.nodes).insert(&node);
      continue;
    }
    refused.add(provider.name(), node, reason);
  }
  std::erase_if(taken.constants, [&](const Node* node) {
    const Value* output = node->output(0);
    const bool is_read =
        output != nullptr &&
        std::any_of(output->uses().begin(), output->uses().end(), [&](const Use& use) {
          return use.kind == Use::Kind::input && taken.nodes.contains(use.node);
        });
    if (!is_read) refused.add(provider.name(), *node, all_constant);
    return !is_read;
  });
  return taken;
}

/// The nodes that are taken by the number of borders between them and the graph's inputs: those of
/// one number reach each other through nodes of the same number only, so that each set can be
/// computed as a whole. Taken constants are in none, and make no border.
std::vector<std::vector<Node*>> group_nodes(Graph& graph, const TakenNodes& taken, bool fuse) {
  std::unordered_map<const Node*, std::int64_t> borders;
  std::map<std::int64_t, std::vector<Node*>> groups;
  std::int64_t alone = 0;
  for (Node& node : graph.nodes()) {
    if (taken.constants.contains(&node)) continue;
    const bool is_taken = taken.nodes.contains(&node);
    std::int64_t most = is_taken ? 1 : 0;
    const auto look_at = [&](const Value* value) {
      const Node* producer = value != nullptr ? value->producer() : nullptr;
      if (producer == nullptr || taken.constants.contains(producer)) return;
      const bool is_border = taken.nodes.contains(producer) != is_taken;
      most = std::max(most, borders.at(producer) + (is_border ? 1 : 0));
    };
    for (std::int64_t i = 0; i < node.input_count(); ++i) look_at(node.input(i));
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) look_at(node.implicit_input(i));
    borders.emplace(&node, most);
    if (is_taken) groups[fuse ? most : alone++].push_back(&node);
  }
  std::vector<std::vector<Node*>> result;
  for (auto& [number, nodes] : groups) result.push_back(std::move(nodes));
  return result;
}

/// Formulas are no names of dimensions in files.
ValueType without_formulas(ValueType type) {
  type.extras = nullptr;
  if (!type.shape) return type;
  for (Dimension& dimension : *type.shape) {
    if (dimension.is_formula() && !dimension.is_symbol()) dimension = Dimension();
  }
  return type;
}

/// One part of a graph: its values at the border, and its copy.
class PartBuilder {
 public:
  /// `constants`: nodes to copy into the part where it reads them.
  PartBuilder(const Model& model, Graph& graph, std::vector<Node*> nodes, const NodeSet& constants)
      : model_(model),
        graph_(graph),
        constants_(constants),
        nodes_(std::move(nodes)),
        inside_(nodes_.begin(), nodes_.end()) {}

  std::unique_ptr<Model> copy() {
    auto part = std::make_unique<Model>();
    part->ir_version = model_.ir_version;
    part->graph = std::make_unique<Graph>(graph_.name());
    part->graph->set_opsets(graph_.opsets());
    for (const Node* node : nodes_) copy_node(*node, *part->graph);
    for (const Node* node : nodes_) add_outputs(*node, *part->graph);
    return part;
  }

  /// Puts a node Subgraph in place of the part's nodes, with the id that the provider gave.
  void replace(const Provider& provider, std::int64_t id, std::int64_t number) {
    std::string origins;
    std::unordered_set<std::string> named;
    const auto add_origins = [&](const Node* node) {
      for (const std::string& origin : origins_of(*node)) {
        if (named.insert(origin).second) origins += (origins.empty() ? "" : "\n") + origin;
      }
    };
    std::for_each(copied_constants_.begin(), copied_constants_.end(), add_origins);
    std::for_each(nodes_.begin(), nodes_.end(), add_origins);
    std::vector<ValueType> types;
    for (const Value* output : outputs_) types.push_back(output->type());
    const std::string name = format("{}_{}", provider.name(), number);
    std::vector<Value*> inner;
    for (Node* node : nodes_) {
      for (std::int64_t i = 0; i < node->output_count(); ++i) {
        if (node->output(i) != nullptr) inner.push_back(node->output(i));
      }
    }
    // A captured value goes with its last use.
    std::vector<Value*> outer;
    for (const Value* input : inputs_) outer.push_back(input->captured());
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) graph_.remove_node(**node);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (outer[i] != nullptr) inputs_[i] = &graph_.capture(*outer[i]);
    }
    Node& made = graph_.add_node("Subgraph", own_domain, inputs_, outputs_, name);
    made.set_attribute({"provider", std::string(provider.name())});
    made.set_attribute({"id", id});
    made.set_attribute({"types", std::move(types)});
    made.mutable_notes().metadata.emplace_back(origin_key, std::move(origins));
    for (Value* value : inner) {
      if (value->producer() == nullptr && value->uses().empty()) graph_.remove_value(*value);
    }
    for (Node* node : copied_constants_) {
      Value* value = node->output(0);
      if (!value->uses().empty()) continue;
      graph_.remove_node(*node);
      graph_.remove_value(*value);
    }
  }

 private:
  Value& copy_of(Value& value, Graph& to) {
    const auto [place, is_new] = copies_.try_emplace(&value, nullptr);
    if (!is_new) return *place->second;
    Value& made = to.add_value(value.name(), without_formulas(value.type()));
    place->second = &made;
    if (is_fixed(value)) {
      to.set_constant(made, captured_root(value).constant());
    } else if (Node* node = value.producer(); constants_.contains(node)) {
      copy_node(*node, to);
      copied_constants_.push_back(node);
    } else if (value.producer() == nullptr || !inside_.contains(value.producer())) {
      to.mark_input(made);
      inputs_.push_back(&value);
    }
    return made;
  }

  void copy_node(const Node& node, Graph& to) {
    std::vector<Value*> inputs;
    for (std::int64_t i = 0; i < node.input_count(); ++i)
      inputs.push_back(node.input(i) != nullptr ? &copy_of(*node.input(i), to) : nullptr);
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i)
      outputs.push_back(node.output(i) != nullptr ? &copy_of(*node.output(i), to) : nullptr);
    Node& made = to.add_node(node.op_type(), node.domain(), inputs, outputs, node.name());
    for (Attribute& attribute : copy_attributes(node)) made.set_attribute(std::move(attribute));
  }

  void add_outputs(const Node& node, Graph& to) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      Value* output = node.output(i);
      if (output == nullptr) continue;
      const auto is_outside = [&](const Use& use) {
        return use.kind != Use::Kind::input || !inside_.contains(use.node);
      };
      if (std::none_of(output->uses().begin(), output->uses().end(), is_outside)) continue;
      to.add_output(*copies_.at(output));
      outputs_.push_back(output);
    }
  }

  const Model& model_;
  Graph& graph_;
  const NodeSet& constants_;
  std::vector<Node*> nodes_;
  std::vector<Node*> copied_constants_;
  std::unordered_set<const Node*> inside_;
  std::unordered_map<const Value*, Value*> copies_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
};

std::int64_t extract(Model& model, Graph& graph, const ExtractOptions& options,
                     SubgraphRefusals& refusals) {
  NodeSet taken_before;
  std::int64_t count = 0;
  for (const auto& each : options.providers) {
    const auto* provider = dynamic_cast<const SubgraphProvider*>(each.get());
    if (provider == nullptr) {
      for (const Claim& claim : each->claims(graph).taken)
        taken_before.insert(claim.members.begin(), claim.members.end());
    } else {
      const TakenNodes taken =
          taken_nodes(graph, *provider, options.pinned, taken_before, refusals);
      for (std::vector<Node*>& nodes : group_nodes(graph, taken, options.fuse)) {
        PartBuilder builder(model, graph, std::move(nodes), taken.constants);
        std::unique_ptr<Model> part = builder.copy();
        if (part->graph->outputs().empty()) continue;
        builder.replace(*provider, provider->keep_subgraph(std::move(part)), count);
        sort_nodes(graph);
        ++count;
      }
    }
    if (options.strict) break;
  }
  return count;
}

}  // namespace

const SubgraphProvider* first_subgraph_provider(
    std::span<const std::shared_ptr<const Provider>> providers) {
  for (const auto& provider : providers) {
    if (const auto* found = dynamic_cast<const SubgraphProvider*>(provider.get())) return found;
  }
  return nullptr;
}

std::int64_t extract_subgraphs(Model& model, const ExtractOptions& options,
                               SubgraphRefusals& refusals) {
  if (first_subgraph_provider(options.providers) == nullptr) return 0;
  std::int64_t count = 0;
  for (Graph* graph : graphs_in(*model.graph)) count += extract(model, *graph, options, refusals);
  if (count > 0) import_domain(*model.graph, own_domain, own_opset);
  return count;
}

}  // namespace ortool
