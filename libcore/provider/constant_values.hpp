// Values of constants that affect how a node is compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The `count` elements of a constant of type float32, float16 or bfloat16; nothing for null, for
/// computed values, and for other types and counts.
std::optional<std::vector<double>> known_numbers(const Tensor* constant, std::int64_t count);

}  // namespace ortool
