// Legacy defaults of old models, and the canonical spelling of domains.
#include "libcore/graph/model.hpp"

namespace ortool {

void resolve_legacy_defaults(Model& model) {
  constexpr std::int64_t first_with_free_initializers = 4;
  if (model.ir_version >= first_with_free_initializers) return;
  const std::vector<Value*> inputs(model.graph->inputs().begin(), model.graph->inputs().end());
  for (Value* input : inputs) {
    if (input->has_default()) model.graph->make_default_constant(*input);
  }
}

std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

}  // namespace ortool
