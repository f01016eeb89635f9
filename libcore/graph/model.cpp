// Legacy defaults of old models, and the canonical spelling of domains.
#include "libcore/graph/model.hpp"

#include "libcore/graph/algorithms/freeze_defaults.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

std::span<Value* const> Model::inputs() const {
  return graph->inputs();
}

std::span<Value* const> Model::outputs() const {
  return graph->outputs();
}

Value* Model::find_value(std::string_view name) const {
  return graph->find_value(name);
}

std::int64_t Model::opset(std::string_view of) const {
  return graph->opset(of);
}

void resolve_legacy_defaults(Model& model) {
  constexpr std::int64_t first_with_free_initializers = 4;
  if (model.ir_version >= first_with_free_initializers) return;
  freeze_defaults(*model.graph);
}

std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

}  // namespace ortool
