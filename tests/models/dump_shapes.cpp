// Prints inferred types and shapes for comparison with another engine, one JSON object per value.
//
// usage: dump_shapes MODEL [INPUT=2x3 …]
//
// "graph" is the depth of a value's graph, 0 for the main graph. A dimension is a number, a
// formula's text, or null; "cause" says why the shape is null, "causes" why each dimension is.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/onnx/read/load.hpp"

namespace {

using ortool::Dimension;
using ortool::Graph;
using ortool::Value;
using ortool::ValueType;

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

std::string text_of(const Dimension& dimension) {
  if (dimension.is_known()) return std::to_string(dimension.number());
  return dimension.is_formula() ? quote(dimension.to_string()) : "null";
}

std::string list_of(const ValueType& type, std::string (*text)(const Dimension&)) {
  if (!type.shape) return "null";
  std::string list;
  for (const Dimension& dimension : *type.shape)
    list += (list.empty() ? "" : ", ") + text(dimension);
  return "[" + list + "]";
}

void print(const Value& value, const char* role) {
  const ValueType& type = value.type();
  const std::string dtype =
      type.is_tensor() ? std::string(name_of(type.element)) : type.to_string();
  std::printf(
      "{\"name\": %s, \"role\": \"%s\", \"graph\": %d, \"dtype\": %s, \"shape\": %s, \"causes\": "
      "%s, "
      "\"cause\": %s}\n",
      quote(value.name()).c_str(), role, value.graph().depth(), quote(dtype).c_str(),
      list_of(type, text_of).c_str(),
      list_of(type, [](const Dimension& dimension) { return quote(dimension.cause()); }).c_str(),
      quote(type.unknown_because()).c_str());
}

void print(const Graph& graph) {
  for (const Value* value : graph.values()) {
    const char* role = value->is_constant()           ? "constant"
                       : value->captured() != nullptr ? "captured"
                       : value->is_graph_input()      ? "input"
                       : value->producer() != nullptr ? "value"
                                                      : "unused";
    print(*value, role);
  }
  for (const ortool::Node& node : graph.nodes()) {
    for (const Graph* subgraph : node.subgraphs()) print(*subgraph);
  }
}

ortool::Shape parse_shape(const std::string& text) {
  std::vector<std::int64_t> dimensions;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    dimensions.push_back(std::stoll(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return ortool::Shape(std::move(dimensions));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::unique_ptr<ortool::Model> model = ortool::load_model(argc > 1 ? argv[1] : "");
    ortool::resolve_legacy_defaults(*model);
    for (int i = 2; i < argc; ++i) {
      const std::string pair = argv[i];
      const std::size_t cut = pair.rfind('=');
      fix_shape(*model, pair.substr(0, cut), parse_shape(pair.substr(cut + 1)));
    }
    infer_shapes(*model);
    for (const std::string& warning : model->warnings)
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
    print(*model->graph);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
  return 0;
}
