// Folding of an epilogue's scale and shift into the constants of its product.
#pragma once

#include <vector>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Weights of float32 (channels first) times the epilogue's scale; themselves where it has none.
Tensor folded_weights(const Tensor& weights, const ProductEpilogue& epilogue, MemoryCap* cap);

/// A number a channel: the constant bias (null or computed: none) times the scale, and the shift.
/// Empty where there is neither.
std::vector<float> folded_bias(const Value* bias, const ProductEpilogue& epilogue);

/// The shift as floats; empty where there is none.
AlignedBuffer shift_of(const ProductEpilogue& epilogue, MemoryCap* cap);

}  // namespace ortool
