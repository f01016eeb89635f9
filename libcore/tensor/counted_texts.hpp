// Tensors of strings that were set one by one: the memory of their texts.
#pragma once

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// `tensor`, if it is one of strings that nobody shares yet, with the bytes of its texts counted
/// against `cap` (may be null) as well. Throws ErrorCode::memory_limit.
Tensor with_counted_texts(Tensor tensor, MemoryCap* cap);

}  // namespace ortool
