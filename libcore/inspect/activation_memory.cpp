// Following lifetimes through the order of the nodes.
#include "libcore/inspect/activation_memory.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "libcore/inspect/weights.hpp"

namespace ortool {
namespace {

std::optional<std::int64_t> known_bytes(const Value& value) {
  const std::optional<Shape> shape = to_known(value.type().shape);
  if (!value.type().is_tensor() || !shape) return std::nullopt;
  return bytes_of(value.type().element, shape->element_count());
}

}  // namespace

std::optional<std::int64_t> peak_activation_bytes(const Graph& graph) {
  std::unordered_map<const Value*, const Node*> last_reader;
  const auto is_activation = [](const Value& value) { return !is_stored(value); };
  for (const Node& node : graph.nodes()) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) last_reader[node.input(i)] = &node;
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
      last_reader[node.implicit_input(i)] = &node;
    }
  }
  std::int64_t live_bytes = 0;
  for (const Value* input : graph.inputs()) {
    if (!is_activation(*input)) continue;
    const auto bytes = known_bytes(*input);
    if (!bytes) return std::nullopt;
    live_bytes += *bytes;
  }
  std::int64_t peak_bytes = live_bytes;
  std::vector<const Value*> freed;
  for (const Node& node : graph.nodes()) {
    freed.clear();
    const auto consider = [&](const Value* value) {
      if (value == nullptr || value->is_graph_output() || !is_activation(*value)) return;
      const auto reader = last_reader.find(value);
      const bool ends_here = reader == last_reader.end() || reader->second == &node;
      if (ends_here && std::find(freed.begin(), freed.end(), value) == freed.end()) {
        freed.push_back(value);
      }
    };
    const bool is_constant_node = node.op_type() == "Constant";
    for (std::int64_t i = 0; i < node.output_count() && !is_constant_node; ++i) {
      const Value* output = node.output(i);
      if (output == nullptr || !is_activation(*output)) continue;
      const auto bytes = known_bytes(*output);
      if (!bytes) return std::nullopt;
      live_bytes += *bytes;
      consider(output->uses().empty() ? output : nullptr);
    }
    peak_bytes = std::max(peak_bytes, live_bytes);
    for (std::int64_t i = 0; i < node.input_count(); ++i) consider(node.input(i));
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
      consider(node.implicit_input(i));
    }
    for (const Value* value : freed) {
      const bool was_counted =
          value->producer() == nullptr || value->producer()->op_type() != "Constant";
      if (was_counted) live_bytes -= *known_bytes(*value);
    }
  }
  return peak_bytes;
}

}  // namespace ortool
