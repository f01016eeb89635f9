// Sizes that signal operators take as inputs of one element.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The one integer of an input, a number, a symbol or unknown. Throws ErrorCode::invalid when the
/// input holds more or less than one element, or a number below `least` or above 2^31.
Dimension scalar_size(const InferContext& context, std::int64_t input, std::string_view name,
                      std::int64_t least);

/// The bins of a transform of real numbers that are no mirror images: length / 2 + 1.
Dimension unique_bins(const Dimension& length);

}  // namespace ortool
