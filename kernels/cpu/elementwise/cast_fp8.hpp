// Conversion to and from the types of eight bits and fewer that processors do not know.
#pragma once

#include <array>
#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/float_formats.hpp"

namespace ortool::cpu {

/// How elements of `from` become elements of `to`, both numbers or bool. Floats become integers by
/// dropping the fraction; what is too large is the nearest end, or where `wraps` and the integer
/// type is packed, the lowest bits of the 64-bit integer.
struct NarrowCast {
  DataType from = DataType::undefined;
  DataType to = DataType::undefined;
  FloatCast rounding;
  bool wraps = true;
  /// The pattern that each pattern of `from` becomes, where that has at most 8 bits.
  bool has_table = false;
  std::array<std::uint64_t, 256> table = {};
};

/// `from` has at most 8 bits, or `to` is a float8 or a packed type.
NarrowCast plan_narrow_cast(DataType from, DataType to, FloatCast rounding, bool wraps);

/// What is left of the last byte of a packed `out` is 0. `out` must not overlap `in`.
void narrow_cast(const NarrowCast& cast, const void* in, void* out, std::int64_t count,
                 Workers& workers);

}  // namespace ortool::cpu
