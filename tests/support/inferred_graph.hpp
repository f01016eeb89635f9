// A graph at opset 18 with inferred types, and accessors for shapes and causes of its values.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {

inline std::unique_ptr<Model> inferred(const std::string& graph, const std::string& imports = {}) {
  return inferred_model("<ir_version: 8, opset_import: [\"\": 18" + imports + "]>\n" + graph);
}

inline std::string shape_of(const Model& model, std::string_view value) {
  return to_string(model.graph->find_value(value)->type().shape);
}

inline std::string cause_of(const Model& model, std::string_view value) {
  return model.graph->find_value(value)->type().unknown_because();
}

}  // namespace ortool
