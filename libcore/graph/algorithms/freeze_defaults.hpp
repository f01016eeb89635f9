// Default values of inputs: makes constants of them.
#pragma once

#include <cstdint>

#include "libcore/base/function_ref.hpp"
#include "libcore/graph/graph_fwd.hpp"

namespace ortool {

class Value;

/// Makes constants of those inputs with a default value that `is_taken` accepts, so that runs
/// cannot give them another one. Returns their number.
std::int64_t freeze_defaults(Graph& graph, FunctionRef<bool(const Value& input)> is_taken);
/// Of all of them.
std::int64_t freeze_defaults(Graph& graph);

}  // namespace ortool
