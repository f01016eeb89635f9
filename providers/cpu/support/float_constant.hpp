// Constants as float32, whatever floating-point type the model holds them in.
#pragma once

#include <optional>

#include "libcore/provider/node_view.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// Whether float_tensor takes the type: float32, float16, bfloat16.
bool is_float_like(DataType type);

/// The tensor as aligned float32; the same bytes where it is that already. The type must be
/// float-like.
Tensor float_tensor(const Tensor& tensor, MemoryCap* cap = nullptr);

/// The value's constant as float32; nothing where it is computed, left out or of another type.
std::optional<Tensor> float_constant(const Value* value, MemoryCap* cap = nullptr);

}  // namespace ortool::cpu
