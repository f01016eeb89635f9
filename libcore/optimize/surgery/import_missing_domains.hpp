// Opset imports of domains that a model uses without importing them, as ONNX Runtime accepts it.
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// Imports, in its newest version, each domain besides ONNX's whose operators the model uses
/// without an import, as far as the catalog knows it.
void import_missing_domains(Model& model);

}  // namespace ortool
