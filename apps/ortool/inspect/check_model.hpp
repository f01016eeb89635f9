// Everything that is wrong with a model, not just the first thing.
#pragma once

#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// What breaks ONNX's rules (ErrorCode::invalid) and what ortool does not know
/// (ErrorCode::unsupported), each with its rule id. Shapes are inferred only when no node is
/// invalid; the model's types are changed by that.
std::vector<Error> find_problems(Model& model, const StopToken& stop);

}  // namespace ortool
