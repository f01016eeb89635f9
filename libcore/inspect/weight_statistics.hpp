// What the stored numbers are like: denormal, not finite, stored twice.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/inspect/weights.hpp"

namespace ortool {

/// Elements whose exponent bits are zero and whose mantissa is not; 0 for types that have none.
std::int64_t count_denormals(const Tensor& tensor);

/// Bytes of tensors that equal an earlier one in type, shape and content.
std::int64_t count_duplicate_bytes(std::span<const Weight> weights);

}  // namespace ortool
