// Conversion of element ranges of any numeric type to and from double, for types without a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Reads elements [first, first + count) of `data`; exact for all integers of up to 32 bits and all
/// floating-point types.
void read_numbers(DataType type, const std::byte* data, std::int64_t first, std::int64_t count,
                  double* out);

/// Stores the numbers as elements from `first` on. For integer types they must be integral (or
/// infinite) and saturate; for floating-point types they are rounded once, ties to even, and
/// saturate according to `saturate` if the type has no infinity. For packed types `first` must
/// start a byte, unless no other thread writes there.
void write_numbers(DataType type, std::byte* data, std::int64_t first, std::int64_t count,
                   const double* numbers, bool saturate);

/// Rounds to values representable in float32, float16 or bfloat16.
void round_to(DataType type, double* numbers, std::int64_t count);

}  // namespace ortool::cpu
