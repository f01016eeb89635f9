// Casts to and from fp8 and sub-byte types, which processors do not support natively.
#pragma once

#include <array>
#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/float_formats.hpp"

namespace ortool::cpu {

/// How elements of type `from` are converted to `to`; both are numeric or bool. Floating point to
/// integer truncates; out-of-range values saturate or, if `wraps` and the integer type is packed,
/// become the lowest bits of the 64-bit integer.
struct NarrowCast {
  DataType from = DataType::undefined;
  DataType to = DataType::undefined;
  FloatCast rounding;
  bool wraps = true;
  /// Result for each bit pattern of `from`, if that has at most 8 bits.
  bool has_table = false;
  std::array<std::uint64_t, 256> table = {};
};

/// Either `from` has at most 8 bits, or `to` is a float8 or packed type.
NarrowCast plan_narrow_cast(DataType from, DataType to, FloatCast rounding, bool wraps);

/// Unused bits of the last byte of a packed `out` are set to 0. `out` must not overlap `in`.
void narrow_cast(const NarrowCast& cast, const void* in, void* out, std::int64_t count,
                 Workers& workers);

}  // namespace ortool::cpu
