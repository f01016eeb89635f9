// A tensor widened or cropped at the ends of its dimensions.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/base/thread_pool.hpp"

namespace ortool::cpu {

enum class PadMode { constant, edge, reflect, wrap };

/// Output dimension i is before[i] + shape[i] + after[i] (not below 0; negative pads crop). The new
/// elements are `fill` (element_bytes at that address), the nearest input element, the input
/// mirrored without its end repeated, or the input repeated. Throws ErrorCode::invalid when a mode
/// that reads the input finds a dimension of size 0 to widen.
void pad(const void* in, void* out, std::span<const std::int64_t> shape,
         std::span<const std::int64_t> before, std::span<const std::int64_t> after, PadMode mode,
         const void* fill, std::int64_t element_bytes, Workers& workers);

}  // namespace ortool::cpu
