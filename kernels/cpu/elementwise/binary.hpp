// Binary elementwise functions, with broadcasting.
#pragma once

#include <cstdint>

#include "kernels/cpu/elementwise/binary_op.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/parallel/broadcast.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

// For both: a, b and out are contiguous, of the shapes `plan` was made from; `out` may be an
// operand that is not repeated and has its type. bool counts as uint8; float16 and bfloat16 are
// computed in float32 and rounded once; integers wrap.

/// `type`: bool, float16, bfloat16, float32, float64, integers of 8 to 64 bits. Throws
/// ErrorCode::invalid on an integer division by zero; an operation without a form for the type is
/// a programmer's error.
void binary(BinaryOp op, DataType type, const void* a, const void* b, void* out,
            const BroadcastPlan& plan, Workers& workers, Isa isa);

/// The same types; `out` gets 0 or 1. NaN equals nothing and is neither less nor greater.
void compare(Comparison comparison, DataType type, const void* a, const void* b, bool* out,
             const BroadcastPlan& plan, Workers& workers, Isa isa);

/// a^b. `type` (of a and out) and `exponent_type`: float16, bfloat16, float32, float64, int32,
/// int64 (and the other integers). Floats by libm's pow in the wider of the two types, squares and
/// cubes by multiplication; integers to integer powers are exact and wrap, negative powers are
/// truncated toward zero; integers to floating powers go through float64 and saturate.
void power(DataType type, DataType exponent_type, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, Workers& workers);

}  // namespace ortool::cpu
