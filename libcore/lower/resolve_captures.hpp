// Constants of outer graphs become constants of the bodies that read them.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// In every body inside `graph`, gives values that stand for an outer constant that constant as
/// their own; the bytes are shared. Kernels then see one kind of constant.
void resolve_captures(Graph& graph);

}  // namespace ortool
