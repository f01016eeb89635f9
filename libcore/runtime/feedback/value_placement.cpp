// Value placement: follows values into the bodies that capture them, and out of the branches of If.
#include "libcore/runtime/feedback/value_placement.hpp"

#include <algorithm>

#include "libcore/runtime/program.hpp"

namespace ortool {
namespace {

bool is_if(const Node& node) {
  return node.op_type() == "If" && node.domain().empty();
}

/// Whether an output of a branch, at `index`, becomes `wanted` and nothing else.
bool becomes(const Graph& branch, std::int32_t index, const Value* wanted) {
  const Node* const owner = branch.owner();
  if (wanted == nullptr || owner == nullptr || !is_if(*owner)) return false;
  const Value* const result = owner->output(index);
  if (result == nullptr || result == wanted) return true;
  const auto uses = result->uses();
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.kind == Use::Kind::graph_output && becomes(result->graph(), use.index, wanted);
  });
}

}  // namespace

void ValuePlacement::add(const Program& program) {
  for (const CompiledStep& step : program.steps()) {
    for (const Node* node : step.view.members()) providers_[node] = step.provider;
    if (step.control_flow == nullptr) continue;
    for (const Program* body : step.control_flow->programs()) add(*body);
  }
}

bool ValuePlacement::is_run_by(const Node& node, const Provider& provider) const {
  const auto found = providers_.find(&node);
  return found != providers_.end() && found->second == &provider;
}

bool ValuePlacement::read_by_captures(const Node& node, const Value& value,
                                      const Provider& provider, const Value* passed_to,
                                      Values& readers) const {
  // The operators of com.microsoft that generate tokens hand values to their bodies in other ways.
  if (!node.domain().empty()) return false;
  for (const Graph* body : node.subgraphs()) {
    for (const Value* capture : body->captures()) {
      if (capture->captured() == &value && !add_readers(*capture, provider, passed_to, readers))
        return false;
    }
  }
  return true;
}

bool ValuePlacement::add_readers(const Value& value, const Provider& provider,
                                 const Value* passed_to, Values& readers) const {
  bool is_read = false;
  for (const Use& use : value.uses()) {
    switch (use.kind) {
      case Use::Kind::input:
        if (!is_run_by(*use.node, provider)) return false;
        is_read = true;
        break;
      case Use::Kind::implicit_input:
        if (!read_by_captures(*use.node, value, provider, passed_to, readers)) return false;
        break;
      case Use::Kind::graph_output:
        if (!becomes(value.graph(), use.index, passed_to)) return false;
        break;
    }
  }
  if (is_read) readers.push_back(&value);
  return true;
}

std::vector<const Value*> ValuePlacement::readers(const Value& input, const Provider& provider,
                                                  const Value* passed_to) const {
  Values found;
  return add_readers(input, provider, passed_to, found) ? found : Values();
}

/// Whether `output` is one output of its graph, and nothing but `provider` reads it otherwise.
bool ValuePlacement::is_written_for(const Value& output, const Provider& provider) const {
  std::size_t outputs = 0;
  Values readers;
  for (const Use& use : output.uses()) {
    switch (use.kind) {
      case Use::Kind::input:
        if (!is_run_by(*use.node, provider)) return false;
        break;
      case Use::Kind::implicit_input:
        if (!read_by_captures(*use.node, output, provider, nullptr, readers)) return false;
        break;
      case Use::Kind::graph_output:
        ++outputs;
        break;
    }
  }
  return outputs == 1;
}

void ValuePlacement::add_writers(const Value& output, const Provider& provider,
                                 Values& writers) const {
  const Node* const producer = output.producer();
  if (producer == nullptr || !is_written_for(output, provider)) return;
  if (is_run_by(*producer, provider)) {
    writers.push_back(&output);
  } else if (is_if(*producer)) {
    const auto place = static_cast<std::size_t>(output.producer_index());
    for (const Graph* branch : producer->subgraphs())
      add_writers(*branch->outputs()[place], provider, writers);
  }
}

std::vector<const Value*> ValuePlacement::writers(const Value& output,
                                                  const Provider& provider) const {
  Values found;
  add_writers(output, provider, found);
  return found;
}

}  // namespace ortool
