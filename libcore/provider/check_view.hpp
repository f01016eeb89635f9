// Bounds check of output views: a view must lie within its input.
#pragma once

#include "libcore/provider/kernel.hpp"

namespace ortool {

/// Throws ErrorCode::invalid when an output would exceed the input that it is a view of: no shape
/// rule should allow this, and nothing is read if one does.
void check_view(const BytesView& view, const Operand& input, const Operand& output);

}  // namespace ortool
