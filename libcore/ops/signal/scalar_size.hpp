// Sizes that signal operators take as one-element inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The single integer of an input: a number, a symbol or unknown. Throws ErrorCode::invalid when
/// the input does not hold exactly one element, or holds a number below `least` or above 2^31.
Dimension scalar_size(const InferContext& context, std::int64_t input, std::string_view name,
                      std::int64_t least);

/// The number of non-redundant bins in the transform of a real signal: length / 2 + 1.
Dimension unique_bins(const Dimension& length);

}  // namespace ortool
