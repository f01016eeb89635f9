// Views of inputs never see more bytes than their source has.
#pragma once

#include "libcore/provider/kernel.hpp"

namespace ortool {

/// Throws ErrorCode::invalid when an output would reach beyond the input that it is a view of: no
/// shape rule may lead there, and nothing is read if one does.
void check_view(const BytesView& view, const Operand& input, const Operand& output);

}  // namespace ortool
