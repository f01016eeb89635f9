// Folds an epilogue's scale and shift into the constants of its product.
#pragma once

#include <vector>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Float32 weights (channels first) multiplied by the epilogue's scale, if it has one.
Tensor folded_weights(const Tensor& weights, const ProductEpilogue& epilogue, MemoryCap* cap);

/// The constant bias (null or computed: none) multiplied by the scale, plus the shift, one per
/// channel; empty if there is neither.
std::vector<float> folded_bias(const Tensor* bias, const ProductEpilogue& epilogue);

/// The shift in float32; empty if there is none.
AlignedBuffer shift_of(const ProductEpilogue& epilogue, MemoryCap* cap);

}  // namespace ortool
