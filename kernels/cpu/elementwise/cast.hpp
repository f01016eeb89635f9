// Conversion between element types (Cast), and elementwise selection (Where).
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/parallel/broadcast.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// `from`, `to`: bool, float16, bfloat16, float32, float64, or integers of 8 to 64 bits. Floating
/// point to integer truncates and saturates, and NaN gives 0; integers wrap; conversions to
/// floating point round once, ties to even; to bool, everything but 0 is true. `out` must not
/// overlap `in`. The same bits for any `isa`.
void cast(DataType from, const void* in, DataType to, void* out, std::int64_t count,
          Workers& workers, Isa isa = Isa::baseline);

/// out = condition ? a : b. `plan` is made from the shapes of condition, a, b in this order;
/// elements of 1, 2, 4, 8 or 16 bytes. `out` may be a or b if that is not broadcast.
void where(const bool* condition, const void* a, const void* b, void* out,
           const BroadcastPlan& plan, std::int64_t element_bytes, Workers& workers,
           Isa isa = Isa::baseline);

}  // namespace ortool::cpu
