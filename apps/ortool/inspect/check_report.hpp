// Report of inspect --check: findings as text and JSON, and the exit code.
#pragma once

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/onnx/read/load.hpp"

namespace ortool {

/// Checks the model that the first argument names, with dimensions fixed by the shape options, and
/// reports findings. Throws ErrorCode::invalid, "model.invalid", when a finding is an error;
/// otherwise returns the model, loaded, described in the report, and with inferred types.
LoadedModel check_model_argument(const Invocation& invocation, const LoadOptions& options,
                                 bool is_text);

}  // namespace ortool
