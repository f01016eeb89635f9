// Nodes: operands, attributes and subgraphs.
#include "libcore/graph/node.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "libcore/graph/graph.hpp"

namespace ortool {

Value* Node::input(std::int64_t index) const {
  return index >= 0 && index < input_count() ? inputs_[static_cast<std::size_t>(index)].value
                                             : nullptr;
}

Value* Node::output(std::int64_t index) const {
  return index >= 0 && index < output_count() ? outputs_[static_cast<std::size_t>(index)] : nullptr;
}

Value* Node::implicit_input(std::int64_t index) const {
  return implicit_inputs_[static_cast<std::size_t>(index)].value;
}

int Node::depth() const {
  return graph_->depth();
}

std::int64_t Node::opset() const {
  return graph_->opset(domain_);
}

const Attribute* Node::find_attribute(std::string_view name) const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

void Node::set_attribute(Attribute attribute) {
  for (Attribute& existing : attributes_) {
    if (existing.name == attribute.name) {
      existing = std::move(attribute);
      return;
    }
  }
  attributes_.push_back(std::move(attribute));
}

bool Node::remove_attribute(std::string_view name) {
  return std::erase_if(attributes_, [name](const Attribute& each) { return each.name == name; }) >
         0;
}

void Node::set_attribute_notes(std::string_view name, SourceFormat attribute_spelling,
                               std::unique_ptr<Notes> notes) {
  for (Attribute& attribute : attributes_) {
    if (attribute.name != name) continue;
    attribute.spelling = attribute_spelling;
    attribute.notes = std::move(notes);
  }
}

void Node::set_overload(std::string_view overload) {
  overload_ = graph_->intern(overload);
}

const Notes& Node::notes() const {
  return notes_ != nullptr ? *notes_ : no_notes();
}

Notes& Node::mutable_notes() {
  if (notes_ == nullptr) notes_ = std::make_unique<Notes>();
  return *notes_;
}

Graph& Node::make_subgraph(std::string_view name, bool append) {
  auto graph = std::make_unique<Graph>();
  graph->owner_ = this;
  graph->names_ = graph_->names_;
  Graph& result = *graph;
  for (Attribute& attribute : attributes_) {
    if (append && attribute.name == name) {
      std::get<Attribute::Graphs>(attribute.value).push_back(std::move(graph));
      return result;
    }
  }
  Attribute attribute{.name = std::string(name)};
  if (append) {
    Attribute::Graphs graphs;
    graphs.push_back(std::move(graph));
    attribute.value = std::move(graphs);
  } else {
    attribute.value = std::move(graph);
  }
  set_attribute(std::move(attribute));
  return result;
}

std::vector<Graph*> Node::subgraphs() const {
  std::vector<Graph*> result;
  for (const Attribute& attribute : attributes_) {
    if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&attribute.value)) {
      result.push_back(graph->get());
    } else if (const auto* graphs = std::get_if<Attribute::Graphs>(&attribute.value)) {
      for (const auto& each : *graphs) result.push_back(each.get());
    }
  }
  return result;
}

}  // namespace ortool
