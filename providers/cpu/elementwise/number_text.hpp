// Numbers as texts and texts as numbers, as Cast does it.
#pragma once

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::cpu {

/// Each element in the fewest digits that read back as the same, the way numpy writes it: 1.0,
/// 0.0001, 1e-05, 1e+16, True; NaN, INF and -INF as ONNX wants them.
Tensor texts_of(const Tensor& numbers, MemoryCap* cap, const Workers& workers);

/// Reads decimal and scientific notation, NaN, INF and infinity with or without a sign, true and
/// false, in small or large letters, with spaces around them. To integers a fraction is dropped,
/// and what is too large is the nearest end. Throws ErrorCode::invalid for another text.
Tensor numbers_of(const Tensor& texts, DataType to, FloatCast rounding, MemoryCap* cap);

}  // namespace ortool::cpu
