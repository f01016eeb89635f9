// The smallest part of a model that a change makes wrong, kept so that anybody can repeat it.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/optimize/verification.hpp"

namespace ortool {

/// Writes a folder as run --save-repro does: model.onnx with the nodes that the guilty change
/// replaced, as they were, optimized.onnx with what it made of them, and in test_data_set_0 what
/// they read in the run that differs and what they made of it. Where these nodes alone show no
/// difference, or are no part of the main graph, model.onnx is the whole original and
/// optimized.onnx the model after the change. Returns whether it is a part. Throws
/// ErrorCode::invalid for a folder that holds something.
bool save_failing_part(const Invocation& invocation, const Rewriting& rewriting,
                       const Verifier& verifier, const Verification& verification,
                       const std::string& folder);

}  // namespace ortool
