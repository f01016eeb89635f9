// Binary elementwise operators with broadcasting.
#pragma once

#include <cstdint>

#include "kernels/cpu/elementwise/binary_op.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/parallel/broadcast.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

// For all functions: a, b and out are contiguous and have the shapes that `plan` was made from;
// `out` may be an operand of the same type that is not broadcast. bool is processed as uint8;
// float16 and bfloat16 are computed in float32 and rounded once; integers wrap.

/// `type`: bool, float16, bfloat16, float32, float64, or integers of 8 to 64 bits. Throws
/// ErrorCode::invalid on an integer division by zero. Calling an operation that does not support
/// the type is a programming error.
void binary(BinaryOp op, DataType type, const void* a, const void* b, void* out,
            const BroadcastPlan& plan, Workers& workers, Isa isa);

/// Supports the same types; `out` is set to 0 or 1. NaN is unordered: equal to nothing, neither
/// less nor greater.
void compare(Comparison comparison, DataType type, const void* a, const void* b, bool* out,
             const BroadcastPlan& plan, Workers& workers, Isa isa);

/// a^b. `type` (of a and out) and `exponent_type`: float16, bfloat16, float32, float64, int32,
/// int64 (and the other integers). Floats use libm's pow in the wider of the two types, except that
/// squares and cubes are multiplied out. Integers to integer powers are exact and wrap; negative
/// powers are truncated toward zero; integers to floating-point powers go through float64 and
/// saturate.
void power(DataType type, DataType exponent_type, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, Workers& workers);

}  // namespace ortool::cpu
