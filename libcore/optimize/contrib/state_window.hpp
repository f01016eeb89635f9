// Windows of recurrent states: the states after the last tokens, which speculative decoding goes
// back to.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// The state that a node begins with: the last of a window of `window` states, or the state itself
/// if that is 0. Null for null.
Value* newest_state(Decomposition& out, Value* past, std::int64_t window);

/// The states along a new leading axis, the newest last; zeros for those that lie before the first
/// token of `x`, whose axis `axis` counts tokens.
Value& window_of_states(Decomposition& out, const std::vector<Value*>& states, Value& x,
                        std::int64_t axis, DataType type);

}  // namespace ortool
