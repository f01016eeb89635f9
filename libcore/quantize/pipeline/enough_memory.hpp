// Errors of the memory limit that say which limit would do.
#pragma once

#include "libcore/base/error.hpp"
#include "libcore/base/function_ref.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Calls `work`, which quantises `model`. Where --max-memory ends it, the error's hint names a
/// limit that is enough, by an estimate from the model and its first sample.
void name_enough_memory(const QuantizeContext& context, Model& model, FunctionRef<void()> work);

}  // namespace ortool
