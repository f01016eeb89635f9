// Names in the file, where inner graphs see the outer ones' names.
#include "libcore/onnx/write_context.hpp"

namespace ortool::onnx {

std::string_view WriteContext::name_of(const Value& value) const {
  const Value* source = &value;
  while (source->captured() != nullptr) source = source->captured();
  if (renamed.empty()) return source->name();
  const auto found = renamed.find(source);
  return found == renamed.end() ? source->name() : std::string_view(found->second);
}

void WriteContext::settle_names(const Graph& graph) {
  for (const Value* capture : graph.captures()) {
    const std::string outer(name_of(*capture));
    const Value* own = graph.find_value(outer);
    if (own == nullptr || own->captured() != nullptr) continue;
    std::string name;
    for (int number = 1; name.empty() || graph.find_value(name) != nullptr; ++number) {
      name = outer + "_" + std::to_string(number);
    }
    renamed.emplace(own, std::move(name));
  }
}

}  // namespace ortool::onnx
