// Factors that move magnitude from one place to another before quantising, without changing what a
// model computes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "libcore/quantize/quantize_tensor.hpp"
#include "libcore/quantize/value_record.hpp"
#include "libcore/quantize/weight_matrix.hpp"

namespace ortool {

/// A layer of a chain whose links are linear or scale with their input (Relu, LeakyRelu, PRelu,
/// MaxPool…): each output channel feeds one input channel of the next layer, and nothing else.
struct EqualizedLayer {
  Tensor weights;
  WeightMatrix matrix;
  Tensor bias;  ///< empty where there is none
};

/// Cross-layer equalisation: divides each output channel of a layer, bias included, by a factor s
/// and multiplies what the next layer does with it by s, so that both have the same largest
/// magnitude there (s = sqrt(r1 / r2); M. Nagel et al., "Data-Free Quantization Through Weight
/// Equalization and Bias Correction", 2019). Goes over the chain until no factor moves by over
/// 1 %, at most 20 times. Channels that are all zero in either layer stay. Returns the largest
/// factor or inverse of one that was applied; the layers are changed in place. Throws
/// ErrorCode::invalid for layers that do not fit each other.
double equalize_chain(std::span<EqualizedLayer> layers);

/// What SmoothQuant divides activations by and multiplies weights with, an input channel each.
struct Smoothing {
  std::vector<double> factors;
  double alpha = 0;  ///< the share of the difficulty that the weights take
  /// How much smaller the expected squared error of the product gets, as a ratio to none.
  double gain = 1;
};

/// Chooses factors max|x|^alpha / max|w|^(1 - alpha) (G. Xiao et al., "SmoothQuant", 2023), with
/// the alpha among 0.1, 0.2 … 0.9 and none at all that has the least expected error: rounding of
/// activations in one step for all channels times the weights' squares, plus rounding of weights,
/// a step an output, times the activations' squares. `channels` are the records of the
/// activation's last axis. Nothing when no alpha gains at least a tenth, or the records do not fit.
std::optional<Smoothing> choose_smoothing(std::span<const ChannelRecord> channels,
                                          const Tensor& weights, const WeightMatrix& matrix);

/// What quantised weights add to the mean of each output: the sum over inputs of the difference
/// times the input's mean (Nagel et al., as above). `means` are the input channels' means. Windows
/// that reach over the edge of an image are taken for full ones.
std::vector<double> expected_shift(const Tensor& weights, const Tensor& dequantized,
                                   const WeightMatrix& matrix, std::span<const double> means);

/// A bias less what quantising adds, channel by channel, in its own type.
Tensor corrected_bias(const Tensor& bias, std::span<const double> shift);

}  // namespace ortool
