// What rounded weights add to the mean of a layer's outputs, and biases without it.
#pragma once

#include <span>
#include <vector>

#include "libcore/quantize/refine/weight_matrix.hpp"

namespace ortool {

/// What quantised weights add to the mean of each output: the sum over inputs of the difference
/// times the input's mean (M. Nagel et al., "Data-Free Quantization Through Weight Equalization and
/// Bias Correction", 2019). `means` are the input channels' means. Windows
/// that reach over the edge of an image are taken for full ones.
std::vector<double> expected_shift(const Tensor& weights, const Tensor& dequantized,
                                   const WeightMatrix& matrix, std::span<const double> means);

/// A bias less what quantising adds, channel by channel, in its own type.
Tensor corrected_bias(const Tensor& bias, std::span<const double> shift);

}  // namespace ortool
