// Graph editing that keeps use lists, node order and captures consistent.
#include "libcore/graph/graph.hpp"

#include <algorithm>
#include <utility>

namespace ortool {
namespace {

/// Also its memory: what is removed stays in the graph's arenas, and lowering removes most of what
/// a quantized file has.
template <typename List>
void free_list(List& list) {
  List().swap(list);
}

}  // namespace

Graph::Graph(std::string name) : name_(std::move(name)), names_(std::make_shared<Names>()) {}

Graph::~Graph() = default;

const OpsetImports& Graph::opsets() const {
  const Graph* graph = this;
  while (graph->owner_ != nullptr) graph = graph->owner_->graph_;
  return graph->opsets_;
}

std::int64_t Graph::opset(std::string_view domain) const {
  const OpsetImports& imports = opsets();
  const auto found = imports.find(domain == "ai.onnx" ? std::string_view() : domain);
  return found == imports.end() ? 0 : found->second;
}

int Graph::depth() const {
  int result = 0;
  for (const Node* node = owner_; node != nullptr; node = node->graph().owner_) ++result;
  return result;
}

std::string_view Graph::intern(std::string_view name) {
  return *names_->all.emplace(name).first;
}

std::string Graph::fresh_name() {
  std::string name;
  do {
    name = "value_" + std::to_string(next_fresh_++);
  } while (by_name_.contains(name) || names_->all.contains(name));
  return name;
}

Value& Graph::add_value(std::string_view name, ValueType type) {
  const std::string_view interned = name.empty() ? intern(fresh_name()) : intern(name);
  ORTOOL_CHECK(!by_name_.contains(interned));
  Value& value = value_arena_.emplace_back();
  value.id_ = static_cast<std::int32_t>(value_arena_.size() - 1);
  value.name_ = interned;
  value.graph_ = this;
  if (type.kind != ValueType::Kind::unknown || !type.denotation.empty() || type.extras != nullptr) {
    value.set_type(std::move(type));
  }
  by_name_.emplace(interned, &value);
  ++live_values_;
  return value;
}

Value& Graph::add_input(std::string_view name, ValueType type) {
  Value& value = add_value(name, std::move(type));
  mark_input(value);
  return value;
}

void Graph::mark_input(Value& value) {
  ORTOOL_CHECK(value.graph_ == this && value.producer_ == nullptr && !value.is_graph_input_);
  value.is_graph_input_ = true;
  inputs_.push_back(&value);
}

void Graph::make_default_constant(Value& input) {
  ORTOOL_CHECK(input.graph_ == this && input.has_default());
  std::erase(inputs_, &input);
  input.is_graph_input_ = false;
  set_constant(input, Tensor(*input.constant_));
}

Value& Graph::add_constant(std::string_view name, Tensor tensor) {
  Value& value = add_value(name);
  set_constant(value, std::move(tensor));
  return value;
}

void Graph::set_constant(Value& value, Tensor tensor) {
  ORTOOL_CHECK(value.graph_ == this && value.producer_ == nullptr);
  value.is_content_taken_ = false;
  // In place, since references to the tensor may exist.
  if (tensor.is_empty()) {
    value.constant_.reset();
  } else if (value.constant_ != nullptr) {
    *value.constant_ = std::move(tensor);
  } else {
    value.constant_ = std::make_unique<Tensor>(std::move(tensor));
  }
  if (!value.is_constant()) return;
  value.set_type(ValueType::tensor(value.constant_->type(), to_partial(value.constant_->shape())));
}

Tensor Graph::take_content(Value& constant) {
  ORTOOL_CHECK(constant.graph_ == this && constant.is_constant() && constant.has_content());
  Tensor content = std::move(*constant.constant_);
  constant.constant_.reset();
  constant.is_content_taken_ = true;
  return content;
}

void Graph::add_output(Value& value) {
  ORTOOL_CHECK(value.graph_ == this);
  outputs_.push_back(&value);
  output_use_positions_.push_back(static_cast<std::int32_t>(value.uses_.size()));
  value.uses_.push_back(
      {Use::Kind::graph_output, nullptr, static_cast<std::int32_t>(outputs_.size() - 1)});
}

void Graph::set_output(std::int64_t index, Value& value) {
  const auto position = static_cast<std::size_t>(index);
  drop_use(*outputs_[position], output_use_positions_[position]);
  outputs_[position] = &value;
  output_use_positions_[position] = static_cast<std::int32_t>(value.uses_.size());
  value.uses_.push_back({Use::Kind::graph_output, nullptr, static_cast<std::int32_t>(index)});
}

Value* Graph::find_value(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Value& Graph::capture(Value& outer) {
  ORTOOL_CHECK(owner_ != nullptr && outer.graph_ == owner_->graph_);
  const auto existing = capture_of_.find(&outer);
  if (existing != capture_of_.end()) return *existing->second;
  Value& value =
      add_value(by_name_.contains(outer.name_) ? std::string_view() : outer.name_, outer.type());
  // After the captures of this graph and of the graphs before it; those of later graphs move up.
  const std::vector<Graph*> siblings = owner_->subgraphs();
  const auto own = std::find(siblings.begin(), siblings.end(), this);
  ORTOOL_CHECK(own != siblings.end());
  std::size_t index = captures_.size();
  for (auto each = siblings.begin(); each != own; ++each) index += (*each)->captures_.size();
  for (auto each = own + 1; each != siblings.end(); ++each) {
    for (Value* later : (*each)->captures_) ++later->capture_index_;
  }
  auto& slots = owner_->implicit_inputs_;
  slots.emplace(slots.begin() + static_cast<std::ptrdiff_t>(index));
  for (std::size_t i = index + 1; i < slots.size(); ++i) {
    slots[i].value->uses_[static_cast<std::size_t>(slots[i].use_position)].index =
        static_cast<std::int32_t>(i);
  }
  value.captured_ = &outer;
  value.capture_index_ = static_cast<std::int32_t>(index);
  captures_.push_back(&value);
  capture_of_.emplace(&outer, &value);
  owner_->graph_->add_use(outer, slots[index],
                          {Use::Kind::implicit_input, owner_, value.capture_index_});
  return value;
}

void Graph::forget_capture(const Value& value) {
  // After replace_uses, two captures may stand for one outer value; the table holds one of them.
  const auto known = capture_of_.find(value.captured_);
  if (known != capture_of_.end() && known->second == &value) capture_of_.erase(known);
}

void Graph::drop_capture(Value& value) {
  auto& slots = owner_->implicit_inputs_;
  const auto index = static_cast<std::size_t>(value.capture_index_);
  Graph& outer_graph = *owner_->graph_;
  const Node::Slot dropped = slots[index];
  slots.erase(slots.begin() + value.capture_index_);
  for (std::size_t i = index; i < slots.size(); ++i) {
    slots[i].value->uses_[static_cast<std::size_t>(slots[i].use_position)].index =
        static_cast<std::int32_t>(i);
  }
  for (Graph* sibling : owner_->subgraphs()) {
    for (Value* capture : sibling->captures_) {
      if (capture->capture_index_ > value.capture_index_) --capture->capture_index_;
    }
  }
  std::erase(captures_, &value);
  forget_capture(value);
  value.captured_ = nullptr;
  value.capture_index_ = -1;
  outer_graph.drop_use(*dropped.value, dropped.use_position);
  remove_value(value);
}

void Graph::remove_value(Value& value) {
  ORTOOL_CHECK(value.uses_.empty() && value.producer_ == nullptr && value.captured_ == nullptr);
  if (value.is_graph_input_) std::erase(inputs_, &value);
  by_name_.erase(value.name_);
  free_list(value.uses_);
  value.graph_ = nullptr;
  value.constant_.reset();
  --live_values_;
}

void Graph::rename_value(Value& value, std::string_view name) {
  ORTOOL_CHECK(value.graph_ == this && !by_name_.contains(name));
  const std::string old(value.name_);
  by_name_.erase(value.name_);
  value.name_ = intern(name);
  by_name_.emplace(value.name_, &value);
  for (const DeclaredValue& declared : declared_values) {
    if (declared.value == &value && declared.own != nullptr) declared.own->name = name;
  }
  for (std::size_t i = 0; i < output_declarations.size() && i < outputs_.size(); ++i) {
    if (outputs_[i] == &value && output_declarations[i] != nullptr)
      output_declarations[i]->name = name;
  }
  for (QuantizationAnnotation& annotation : quantization_annotations) {
    if (annotation.value == old) annotation.value = name;
    for (auto& [key, tensor] : annotation.parameters) {
      if (tensor == old) tensor = name;
    }
  }
}

std::string Graph::unused_name(std::string_view base) const {
  std::string name(base);
  for (std::int64_t number = 1; names_->all.contains(name); ++number)
    name = std::string(base) + "_" + std::to_string(number);
  return name;
}

std::vector<Value*> Graph::values() const {
  std::vector<Value*> result;
  result.reserve(static_cast<std::size_t>(live_values_));
  for (const Value& value : value_arena_) {
    if (value.graph_ != nullptr) result.push_back(const_cast<Value*>(&value));
  }
  return result;
}

Node& Graph::add_node(std::string_view op_type, std::string_view domain,
                      std::span<Value* const> inputs, std::span<Value* const> outputs,
                      std::string_view name, Node* before) {
  Node& node = node_arena_.emplace_back();
  node.id_ = static_cast<std::int32_t>(node_arena_.size() - 1);
  node.has_name_ = !name.empty();
  node.name_ =
      node.has_name_ ? intern(name) : intern(std::string(op_type) + "_" + std::to_string(node.id_));
  node.op_type_ = intern(op_type);
  node.domain_ = intern(domain == "ai.onnx" ? std::string_view() : domain);
  node.graph_ = this;
  node.inputs_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    set_input(node, static_cast<std::int64_t>(i), inputs[i]);
  node.outputs_.assign(outputs.begin(), outputs.end());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr) continue;
    ORTOOL_CHECK(outputs[i]->graph_ == this && outputs[i]->producer_ == nullptr);
    outputs[i]->producer_ = &node;
    outputs[i]->producer_index_ = static_cast<std::int32_t>(i);
  }
  link(node, before);
  return node;
}

void Graph::remove_node(Node& node) {
  for (Graph* subgraph : node.subgraphs()) {
    for (Value* value : subgraph->captures_) value->captured_ = nullptr;
    subgraph->capture_of_.clear();
  }
  for (const Node::Slot& slot : node.implicit_inputs_) drop_use(*slot.value, slot.use_position);
  free_list(node.implicit_inputs_);
  for (std::int64_t i = 0; i < node.input_count(); ++i) set_input(node, i, nullptr);
  for (Value* output : node.outputs_) {
    if (output == nullptr) continue;
    output->producer_ = nullptr;
    output->producer_index_ = -1;
  }
  free_list(node.inputs_);
  free_list(node.outputs_);
  unlink(node);
  free_list(node.attributes_);
  node.graph_ = nullptr;
}

void Graph::set_input(Node& node, std::int64_t index, Value* value) {
  Node::Slot& slot = node.inputs_[static_cast<std::size_t>(index)];
  const Node::Slot old = slot;
  slot = {};
  if (value != nullptr) {
    ORTOOL_CHECK(value->graph_ == this);
    add_use(*value, slot, {Use::Kind::input, &node, static_cast<std::int32_t>(index)});
  }
  if (old.value != nullptr) drop_use(*old.value, old.use_position);
}

void Graph::add_input_to(Node& node, Value* value) {
  node.inputs_.emplace_back();
  set_input(node, node.input_count() - 1, value);
}

void Graph::remove_last_input(Node& node) {
  set_input(node, node.input_count() - 1, nullptr);
  node.inputs_.pop_back();
}

void Graph::replace_uses(Value& from, Value& to) {
  ORTOOL_CHECK(&from != &to && from.graph_ == this && to.graph_ == this);
  while (!from.uses_.empty()) {
    const Use use = from.uses_.back();
    switch (use.kind) {
      case Use::Kind::input:
        set_input(*use.node, use.index, &to);
        break;
      case Use::Kind::graph_output:
        set_output(use.index, to);
        break;
      case Use::Kind::implicit_input:
        for (Graph* subgraph : use.node->subgraphs()) {
          for (Value* capture : subgraph->captures_) {
            if (capture->capture_index_ != use.index) continue;
            subgraph->forget_capture(*capture);
            capture->captured_ = &to;
            subgraph->capture_of_.emplace(&to, capture);
          }
        }
        Node::Slot& slot = use.node->implicit_inputs_[static_cast<std::size_t>(use.index)];
        const Node::Slot old = slot;
        add_use(to, slot, use);
        drop_use(*old.value, old.use_position);
        break;
    }
  }
}

void Graph::move_node(Node& node, Node* before) {
  if (&node == before) return;
  unlink(node);
  link(node, before);
}

Node::Slot* Graph::slot_of(const Use& use) {
  auto& slots = use.kind == Use::Kind::input ? use.node->inputs_ : use.node->implicit_inputs_;
  return &slots[static_cast<std::size_t>(use.index)];
}

void Graph::add_use(Value& value, Node::Slot& slot, Use use) {
  slot.value = &value;
  slot.use_position = static_cast<std::int32_t>(value.uses_.size());
  value.uses_.push_back(use);
}

void Graph::drop_use(Value& value, std::int32_t position) {
  const auto index = static_cast<std::size_t>(position);
  if (index + 1 != value.uses_.size()) {
    const Use moved = value.uses_.back();
    value.uses_[index] = moved;
    if (moved.kind == Use::Kind::graph_output) {
      value.graph_->output_use_positions_[static_cast<std::size_t>(moved.index)] = position;
    } else {
      slot_of(moved)->use_position = position;
    }
  }
  value.uses_.pop_back();
  if (value.uses_.empty() && value.captured_ != nullptr) value.graph_->drop_capture(value);
}

void Graph::link(Node& node, Node* before) {
  Node* after = before != nullptr ? before->previous_ : last_;
  node.previous_ = after;
  node.next_ = before;
  (after != nullptr ? after->next_ : first_) = &node;
  (before != nullptr ? before->previous_ : last_) = &node;
  ++node_count_;
}

void Graph::unlink(Node& node) {
  (node.previous_ != nullptr ? node.previous_->next_ : first_) = node.next_;
  (node.next_ != nullptr ? node.next_->previous_ : last_) = node.previous_;
  node.previous_ = nullptr;
  node.next_ = nullptr;
  --node_count_;
}

}  // namespace ortool

void std::default_delete<ortool::Graph>::operator()(ortool::Graph* graph) const {
  delete graph;
}
