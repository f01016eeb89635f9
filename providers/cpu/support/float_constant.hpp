// Float constants: constants as float32, from any floating-point type of the model.
#pragma once

#include <optional>

#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// Whether float_tensor supports the type: float32, float16, bfloat16.
bool is_float_like(DataType type);

/// The tensor as aligned float32; shares the data if it already is. The type must be float-like.
Tensor float_tensor(const Tensor& tensor, MemoryCap* cap = nullptr);

/// The value's constant as float32; empty if it is computed, omitted or of another type.
std::optional<Tensor> float_constant(const Tensor* constant, MemoryCap* cap = nullptr);

}  // namespace ortool::cpu
