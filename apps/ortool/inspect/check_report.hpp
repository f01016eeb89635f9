// inspect --check: the findings as text and JSON, and the exit code they lead to.
#pragma once

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/onnx/read/load.hpp"

namespace ortool {

/// Checks the model that the first argument names, dimensions fixed as the shape options say, and
/// reports what was found. Throws ErrorCode::invalid, "model.invalid", when a finding is an error;
/// otherwise gives back the model, loaded, described in the report, and with inferred types.
LoadedModel check_model_argument(const Invocation& invocation, const LoadOptions& options,
                                 bool is_text);

}  // namespace ortool
