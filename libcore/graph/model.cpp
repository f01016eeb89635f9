// Looking up functions.
#include "libcore/graph/model.hpp"

namespace ortool {

const Function* Model::find_function(std::string_view function_domain,
                                     std::string_view function_name,
                                     std::string_view function_overload) const {
  for (const Function& function : functions) {
    if (function.name == function_name && function.overload == function_overload &&
        function.domain == canonical_domain(function_domain)) {
      return &function;
    }
  }
  return nullptr;
}

void settle_old_defaults(Model& model) {
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
