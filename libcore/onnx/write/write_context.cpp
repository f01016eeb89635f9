// Names in the file, where inner graphs can see the names of outer ones.
#include "libcore/onnx/write/write_context.hpp"

#include "libcore/graph/graph.hpp"

namespace ortool::onnx {

std::string_view WriteContext::name_of(const Value& value) const {
  const Value* source = &value;
  while (source->captured() != nullptr) source = source->captured();
  if (renamed.empty()) return source->name();
  const auto found = renamed.find(source);
  return found == renamed.end() ? source->name() : std::string_view(found->second);
}

bool WriteContext::is_taken_around(const Graph& graph, std::string_view name) const {
  for (const Node* owner = graph.owner(); owner != nullptr; owner = owner->graph().owner()) {
    const Value* outer = owner->graph().find_value(name);
    if (outer != nullptr && outer->captured() == nullptr && !renamed.contains(outer)) return true;
  }
  return new_names.contains(name);
}

void WriteContext::resolve_names(const Graph& graph) {
  if (graph.owner() == nullptr) return;
  std::set<std::string_view> read;
  for (const Value* capture : graph.captures()) read.insert(name_of(*capture));
  for (const Value* value : graph.values()) {
    if (value->captured() != nullptr) continue;
    // In ONNX, inputs and initializers of a body may shadow a value of an enclosing graph, but
    // outputs of nodes may not.
    const bool may_hide = value->producer() == nullptr && !read.contains(value->name());
    if (may_hide || !is_taken_around(graph, value->name())) continue;
    const std::string base(value->name());
    std::string name;
    for (int number = 1;
         name.empty() || graph.find_value(name) != nullptr || is_taken_around(graph, name);
         ++number) {
      name = base + "_" + std::to_string(number);
    }
    new_names.insert(name);
    renamed.emplace(value, std::move(name));
  }
}

}  // namespace ortool::onnx
