// Memory accounting for string tensors whose elements were set one by one.
#pragma once

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// `tensor`, if it is an unshared string tensor, with the bytes of its strings also counted against
/// `cap` (may be null). Throws ErrorCode::memory_limit.
Tensor with_counted_texts(Tensor tensor, MemoryCap* cap);

}  // namespace ortool
