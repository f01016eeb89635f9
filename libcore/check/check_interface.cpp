// Checks of the main graph's interface: declared types and shapes, outputs, and initializers.
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

void check_type(const FileValue& value, std::string_view what, bool has_default,
                Findings& findings) {
  if (value.name.empty()) return;
  const ValueType& type = value.type;
  const bool has_element = type.element != DataType::undefined;
  const bool is_dense = type.is_tensor() || type.kind == ValueType::Kind::sparse_tensor;
  const Findings::Place place{.value = shorten(value.name, 200)};
  if (type.kind == ValueType::Kind::unknown || (is_dense && !has_element)) {
    const bool is_needed = what == "input" && !has_default;
    findings.add(is_needed ? "graph.input_type" : "graph.output_type", place,
                 format("graph {} {} has no type", what, quote(value.name)));
  } else if (is_dense && !type.shape) {
    findings.add(
        "graph.shape_missing", place,
        format("graph {} {} declares no shape, not even its rank", what, quote(value.name)));
  }
}

}  // namespace

void check_interface(const FileModel& model, Findings& findings) {
  if (model.graphs.empty()) return;
  const FileGraph& graph = model.graphs.front();
  std::unordered_set<std::string_view> defaults;
  for (const FileInitializer& initializer : graph.initializers) defaults.insert(initializer.name);
  std::unordered_set<std::string_view> inputs;
  for (const FileValue& input : graph.inputs) {
    inputs.insert(input.name);
    check_type(input, "input", defaults.contains(input.name), findings);
  }
  std::unordered_set<std::string_view> outputs;
  for (const FileValue& output : graph.outputs) {
    check_type(output, "output", false, findings);
    if (!outputs.insert(output.name).second) {
      findings.add("graph.output_repeated", {.value = shorten(output.name, 200)},
                   format("{} is a graph output twice", quote(output.name)));
    }
  }
  if (graph.outputs.empty()) {
    findings.add("graph.no_outputs", {}, "the main graph has no outputs");
  }
  if (model.ir_version >= 4) return;
  for (const FileInitializer& initializer : graph.initializers) {
    if (initializer.name.empty() || inputs.contains(initializer.name)) continue;
    findings.add("initializer.not_input", {.value = shorten(initializer.name, 200)},
                 format("the initializer {} is not a graph input, which IR version {} requires",
                        quote(initializer.name), model.ir_version));
  }
}

}  // namespace ortool
