// Stretches of elements of any number type as doubles, for what is not worth a kernel of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Elements [first, first + count) of `data`; exact for all integers of up to 32 bits and floating
/// types.
void read_numbers(DataType type, const std::byte* data, std::int64_t first, std::int64_t count,
                  double* out);

/// Stores the numbers as elements from `first` on. Integers must be whole (or infinite) and
/// saturate; floating types round once, half to even, and saturate by `saturate` where they have no
/// infinity. For packed types `first` must begin a byte, unless nothing else writes there.
void write_numbers(DataType type, std::byte* data, std::int64_t first, std::int64_t count,
                   const double* numbers, bool saturate);

/// Rounds to the numbers that float32, float16 or bfloat16 has.
void round_to(DataType type, double* numbers, std::int64_t count);

}  // namespace ortool::cpu
