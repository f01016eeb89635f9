// Intermediate values as outputs: which values nodes compute.
#include "libcore/optimize/surgery/expose_values.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"

namespace ortool {

std::vector<std::string> intermediate_values(const Model& model) {
  std::vector<std::string> names;
  for (const Node& node : model.graph->nodes()) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* value = node.output(i);
      if (value != nullptr && !value->is_graph_output()) names.emplace_back(value->name());
    }
  }
  return names;
}

void expose_values(Model& model, std::span<const std::string> names) {
  if (names.empty()) return;
  for (const std::string& name : names) model.graph->add_output(*model.find_value(name));
  const DeclaredTypes declared(model);
  infer_shapes(model);
  declared.restore(model, false);
}

}  // namespace ortool
