// Bias correction: the mean output shift caused by quantized weights, subtracted from the bias.
#pragma once

#include <span>
#include <vector>

#include "libcore/quantize/refine/weight_matrix.hpp"

namespace ortool {

/// The shift that quantized weights add to the mean of each output: the sum over inputs of the
/// weight error times the input's mean (M. Nagel et al., "Data-Free Quantization Through Weight
/// Equalization and Bias Correction", 2019). `means` are per input channel. Convolution windows
/// that overlap the padding are treated as full ones.
std::vector<double> expected_shift(const Tensor& weights, const Tensor& dequantized,
                                   const WeightMatrix& matrix, std::span<const double> means);

/// The bias minus the shift of each channel, in the bias's own type.
Tensor corrected_bias(const Tensor& bias, std::span<const double> shift);

}  // namespace ortool
