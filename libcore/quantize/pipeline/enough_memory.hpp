// Memory-limit errors with a hint that names a sufficient limit.
#pragma once

#include "libcore/base/error.hpp"
#include "libcore/base/function_ref.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

/// Calls `work`, which quantizes `model`. If --max-memory aborts it, the error's hint names a
/// sufficient limit, estimated from the model and its first sample.
void name_enough_memory(const QuantizeContext& context, Model& model, FunctionRef<void()> work);

}  // namespace ortool
