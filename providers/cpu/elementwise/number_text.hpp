// Number formatting and parsing: numeric to string and string to numeric, as in Cast.
#pragma once

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::cpu {

/// Formats each element with the fewest digits that parse back to the same value, in NumPy's style:
/// 1.0, 0.0001, 1e-05, 1e+16, True; NaN, INF and -INF as ONNX specifies.
Tensor texts_of(const Tensor& numbers, MemoryCap* cap, const Workers& workers);

/// Parses decimal and scientific notation, NaN, INF and infinity with or without a sign, true and
/// false, case-insensitively and with surrounding spaces. For integers, fractions are truncated and
/// values saturate. Throws ErrorCode::invalid for any other text.
Tensor numbers_of(const Tensor& texts, DataType to, FloatCast rounding, MemoryCap* cap);

}  // namespace ortool::cpu
