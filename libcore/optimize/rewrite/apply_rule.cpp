// Rule application: all checks come first, so that a refusal has no effect.
#include "libcore/optimize/rewrite/apply_rule.hpp"

#include <algorithm>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

/// Whether the two shapes are compatible for consumers.
bool agree(const Dimensions& old_value, const Dimensions& new_value) {
  if (old_value.size() != new_value.size()) return false;
  for (std::size_t i = 0; i < old_value.size(); ++i) {
    if (old_value[i].is_known() && new_value[i].is_known() && old_value[i] != new_value[i])
      return false;
  }
  return true;
}

}  // namespace

NodeOrder::NodeOrder(const Graph& graph) {
  std::int64_t place = 0;
  for (const Node& node : graph.nodes()) put(node, place++);
}

std::int64_t NodeOrder::place_of(const Node& node) const {
  const auto id = static_cast<std::size_t>(node.id());
  return id < places_.size() ? places_[id] : nowhere;
}

void NodeOrder::put(const Node& node, std::int64_t place) {
  const auto id = static_cast<std::size_t>(node.id());
  if (id >= places_.size()) places_.resize(id + id / 2 + 64, nowhere);
  places_[id] = place;
}

Application::Application(const Rule& rule, const Match& match, NodeOrder& order,
                         bool has_own_operators)
    : rule_(rule),
      match_(match),
      order_(order),
      has_own_(has_own_operators),
      graph_(match.graph()),
      node_name_(match.root().name()),
      before_(&match.root()) {}

Verdict Application::apply() {
  if (Verdict verdict = check_operators(); !verdict.is_yes) return verdict;
  if (Verdict verdict = check_inner_values(); !verdict.is_yes) return verdict;
  if (rule_.where) {
    if (Verdict verdict = rule_.where(match_); !verdict.is_yes) return verdict;
  }
  Replacement replacement(match_, has_own_);
  try {
    Value& result = rule_.replace(replacement);
    Verdict verdict = commit(replacement, result);
    if (!verdict.is_yes) replacement.undo();
    return verdict;
  } catch (const Error& error) {
    replacement.undo();
    if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
    return no(error.message());
  }
}

Verdict Application::check_operators() const {
  for (const std::string_view op_type : rule_.makes) {
    if (domain_for(op_type, graph_, has_own_) != nullptr) continue;
    const OpEntry* entry = find_op("", op_type);
    if (entry == nullptr) return no(format("{} is not an ONNX operator", op_type));
    return no(format("{} was introduced in opset {} (the model has {})", op_type,
                     entry->schema->versions.begin()->since, graph_.opset("")));
  }
  return yes();
}

bool Application::is_replaced_too(const Value& value) const {
  return std::any_of(rule_.also_replaces.begin(), rule_.also_replaces.end(),
                     [&](std::string_view name) { return match_.find(name) == &value; });
}

Verdict Application::check_uses(const Value& value) const {
  for (const Use& use : value.uses()) {
    if (use.kind == Use::Kind::graph_output)
      return no(format("'{}' inside it is an output of the graph", value.name()));
    if (use.kind == Use::Kind::implicit_input || !match_.holds(use.node))
      return no(format("'{}' inside it is also read by '{}'", value.name(), use.node->name()));
  }
  return yes();
}

Verdict Application::check_inner_values() const {
  for (const Match::Member& member : match_.members()) {
    if (member.is_shared && member.node != &match_.root()) continue;
    for (const Value* output : outputs_of(*member.node)) {
      if (output == &match_.result() || is_replaced_too(*output)) continue;
      if (Verdict verdict = check_uses(*output); !verdict.is_yes) return verdict;
    }
  }
  return yes();
}

Verdict Application::check_type(const Value& old_value, const Value& new_value) {
  const ValueType& before = old_value.type();
  const ValueType& after = new_value.type();
  using Kind = ValueType::Kind;
  if (before.kind == Kind::unknown || after.kind == Kind::unknown) return yes();
  const bool same_kind = before.kind == after.kind;
  const bool same_element = before.element == after.element ||
                            before.element == DataType::undefined ||
                            after.element == DataType::undefined;
  const bool same_shape = !before.shape || !after.shape || agree(*before.shape, *after.shape);
  if (same_kind && same_element && same_shape) return yes();
  return no(format("'{}' would be {} instead of {}", old_value.name(), after.to_string(),
                   before.to_string()));
}

/// Consumers of inner values may precede the end of the match; then their new producer must too.
Verdict Application::find_place(const Replacement& replacement) {
  std::int64_t earliest = order_.place_of(match_.root());
  for (const auto& [old_value, new_value] : replacement.others()) {
    for (const Use& use : old_value->uses()) {
      if (use.node == nullptr || match_.holds(use.node)) continue;
      if (order_.place_of(*use.node) >= earliest) continue;
      earliest = order_.place_of(*use.node);
      before_ = use.node;
    }
  }
  if (before_ == &match_.root()) return yes();
  for (const Node* node : replacement.nodes()) {
    for (const Value* input : inputs_of(*node)) {
      const Node* producer = input->producer();
      if (producer == nullptr || replacement.made(*input)) continue;
      if (order_.place_of(*producer) >= earliest)
        return no(format("'{}' is read before '{}' is computed", node_name_, input->name()));
    }
  }
  return yes();
}

void Application::give_origins(const Replacement& replacement) const {
  std::vector<const Node*> nodes;
  for (const Match::Member& member : match_.members()) nodes.push_back(member.node);
  nodes.insert(nodes.end(), replacement.replaced().begin(), replacement.replaced().end());
  std::sort(nodes.begin(), nodes.end(), [&](const Node* a, const Node* b) {
    return order_.place_of(*a) != order_.place_of(*b) ? order_.place_of(*a) < order_.place_of(*b)
                                                      : a->id() < b->id();
  });
  std::unordered_set<std::string> seen;
  std::string text;
  for (const Node* node : nodes) {
    for (std::string& name : origins_of(*node)) {
      if (!seen.insert(name).second) continue;
      text += (text.empty() ? "" : "\n") + name;
    }
  }
  for (Node* node : replacement.nodes())
    node->mutable_notes().metadata.emplace_back(origin_key, text);
}

/// A node's outputs cannot be changed, so the node is recreated.
void Application::remake(Node& producer, std::int64_t index, Value& value, std::string_view name) {
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < producer.output_count(); ++i) outputs.push_back(producer.output(i));
  Value& old_output = *outputs[static_cast<std::size_t>(index)];
  outputs[static_cast<std::size_t>(index)] = &value;
  graph_.replace_uses(old_output, value);
  const std::int64_t place = order_.place_of(producer);
  order_.remove(producer);
  order_.put(make_again(producer, outputs, name), place);
  graph_.remove_value(old_output);
}

void Application::put_in(Value& old_value, Value& new_value, std::string_view name) {
  ValueType type = old_value.type();
  if (type.kind == ValueType::Kind::unknown) type = new_value.type();
  Node& producer = *new_value.producer();
  const std::int64_t index = new_value.producer_index();
  remake(producer, index, old_value, name);
  if (!type.shape) type.shape = new_value.type().shape;
  old_value.set_type(std::move(type));
}

Verdict Application::commit(Replacement& replacement, Value& result) {
  Value& old_value = match_.result();
  if (Verdict verdict = check_type(old_value, result); !verdict.is_yes) return verdict;
  for (const auto& [from, to] : replacement.others()) {
    if (Verdict verdict = check_type(*from, *to); !verdict.is_yes) return verdict;
    ORTOOL_CHECK(replacement.made(*to));
  }
  const bool is_new = replacement.made(result);
  const bool can_rename = result.producer() != nullptr && !result.is_graph_output() &&
                          !match_.holds(result.producer()) &&
                          result.producer()->subgraphs().empty();
  if (!is_new && old_value.is_graph_output() && !can_rename)
    return no(
        format("the graph's output '{}' would be '{}' itself", old_value.name(), result.name()));
  if (Verdict verdict = find_place(replacement); !verdict.is_yes) return verdict;

  const std::string made_name =
      is_new ? name_of_made(replacement, *result.producer())
             : std::string(result.producer() != nullptr ? result.producer()->name() : "");
  give_origins(replacement);
  constant_bytes_added_ = replacement.constant_bytes();
  const std::int64_t place = order_.place_of(*before_);
  for (Node* node : replacement.nodes()) {
    if (before_ != &match_.root()) graph_.move_node(*node, before_);
    order_.put(*node, place);
  }
  std::vector<Node*> leftovers;
  std::vector<Value*> freed;
  for (const Match::Member& member : match_.members()) {
    for (Value* input : inputs_of(*member.node)) freed.push_back(input);
  }
  // The new producer takes over the old value, with its name, type and consumers.
  Node& root = match_.root();
  const std::vector<Value*> root_outputs = outputs_of(root);
  for (Value* input : inputs_of(root)) {
    if (input->producer() != nullptr) leftovers.push_back(input->producer());
  }
  const bool goes_on = is_new || old_value.is_graph_output();
  // A capture disappears with its last use, so new uses are added first.
  if (!goes_on) graph_.replace_uses(old_value, result);
  graph_.remove_node(root);
  order_.remove(root);
  if (goes_on) put_in(old_value, result, made_name);
  changed_.push_back(goes_on ? &old_value : &result);
  for (Value* output : root_outputs) {
    if (output->producer() == nullptr && output->uses().empty()) graph_.remove_value(*output);
  }
  remove_unread(leftovers);
  for (const auto& [from, to] : replacement.others()) take_over(*from, *to);
  for (Value* value : freed) {
    if (value->is_in(graph_) && value->uses().empty() && value->is_constant())
      remove_constant(*value);
    if (value->is_in(graph_)) changed_.push_back(value);
  }
  std::erase_if(changed_, [&](const Value* value) { return !value->is_in(graph_); });
  return yes();
}

/// A node takes the name of the one whose operator it has: a Conv with a folded
/// BatchNormalization that of the Conv. Otherwise it is named after the match's root.
std::string Application::name_of_made(const Replacement& replacement, const Node& made) const {
  const auto is_alike = [&](const Node& node) {
    return node.op_type() == made.op_type() && node.domain() == made.domain();
  };
  // Beside other values, inner nodes may keep their names, and so do those that others read.
  if (!replacement.others().empty() || is_alike(match_.root())) return node_name_;
  const auto stays = [&](const Node& node) {
    const std::vector<Value*> outputs = outputs_of(node);
    return std::any_of(outputs.begin(), outputs.end(), [&](const Value* output) {
      return std::any_of(output->uses().begin(), output->uses().end(), [&](const Use& use) {
        return use.kind != Use::Kind::input || !match_.holds(use.node);
      });
    });
  };
  for (const Match::Member& member : match_.members()) {
    if (is_alike(*member.node) && !member.node->name().empty() && !stays(*member.node))
      return std::string(member.node->name());
  }
  return node_name_;
}

void Application::take_over(Value& inner, Value& made) {
  if (!inner.is_in(graph_)) return;
  Node* producer = inner.producer();
  if (producer == nullptr) {
    // Another output of the match's end, whose node has been removed already.
    put_in(inner, made, node_name_);
    changed_.push_back(&inner);
    return;
  }
  std::vector<Node*> leftovers;
  for (Value* input : inputs_of(*producer)) {
    if (input->producer() != nullptr) leftovers.push_back(input->producer());
  }
  const std::vector<Value*> outputs = outputs_of(*producer);
  const std::string name(producer->name());
  graph_.remove_node(*producer);
  order_.remove(*producer);
  put_in(inner, made, name);
  changed_.push_back(&inner);
  for (Value* output : outputs) {
    if (output != &inner && output->uses().empty()) graph_.remove_value(*output);
  }
  remove_unread(leftovers);
}

void Application::remove_unread(const std::vector<Node*>& nodes) {
  std::vector<Node*> open = nodes;
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (!order_.holds(*node)) continue;
    const std::vector<Value*> outputs = outputs_of(*node);
    const bool is_read = std::any_of(outputs.begin(), outputs.end(),
                                     [](const Value* each) { return !each->uses().empty(); });
    if (is_read) continue;
    const std::vector<Value*> inputs = inputs_of(*node);
    graph_.remove_node(*node);
    order_.remove(*node);
    for (Value* output : outputs) graph_.remove_value(*output);
    for (Value* input : inputs) {
      if (!input->is_in(graph_)) continue;
      if (input->producer() != nullptr) {
        open.push_back(input->producer());
      } else if (input->is_constant() && input->uses().empty()) {
        remove_constant(*input);
      }
    }
  }
}

void Application::remove_constant(Value& constant) {
  constant_bytes_added_ -= constant.constant().size_bytes();
  graph_.remove_value(constant);
}

}  // namespace ortool
