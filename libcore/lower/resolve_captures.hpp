// Capture resolution: captured constants become constants of the bodies that read them.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// In every body inside `graph`, captures of an outer constant become constants of the body; the
/// memory is shared. Kernels then see one kind of constant.
void resolve_captures(Graph& graph);

}  // namespace ortool
