// Weight matrix: a uniform view of product and convolution weights as outputs by inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The memory layout of a layer's weights.
enum class WeightLayout {
  outputs_first,  ///< Conv [out, in / groups, kernel…]; Gemm with transB [out, in]
  inputs_first,   ///< MatMul, Gemm [in, out]; ConvTranspose [in, out / groups, kernel…]
};

/// A view of weights as one matrix per group. Channels are counted over all groups; taps are the
/// kernel positions, 1 for a plain product.
class WeightMatrix {
 public:
  /// Throws ErrorCode::invalid when `groups` does not divide the channels, or the rank is below 2.
  WeightMatrix(const Shape& shape, WeightLayout layout, std::int64_t groups = 1);

  std::int64_t groups() const { return groups_; }
  std::int64_t outputs() const { return groups_ * group_outputs_; }  ///< over all groups
  std::int64_t inputs() const { return groups_ * group_inputs_; }    ///< over all groups
  std::int64_t group_outputs() const { return group_outputs_; }
  std::int64_t group_inputs() const { return group_inputs_; }
  std::int64_t taps() const { return taps_; }

  /// The flat index of the weight between input `input` within its group and output `output`
  /// overall.
  std::int64_t index(std::int64_t output, std::int64_t input, std::int64_t tap) const;

 private:
  WeightLayout layout_;
  std::int64_t groups_;
  std::int64_t group_outputs_;
  std::int64_t group_inputs_;
  std::int64_t taps_;
};

/// The largest weight magnitude of each output channel, and of each input channel.
std::vector<double> output_magnitudes(const Tensor& weights, const WeightMatrix& matrix);
std::vector<double> input_magnitudes(const Tensor& weights, const WeightMatrix& matrix);

/// The weights with each output (input) channel multiplied by its factor, in their own type.
Tensor scale_outputs(const Tensor& weights, const WeightMatrix& matrix,
                     std::span<const double> factors);
Tensor scale_inputs(const Tensor& weights, const WeightMatrix& matrix,
                    std::span<const double> factors);

/// A vector multiplied elementwise by the factors, in its own type: a bias, a scale.
Tensor scale_elements(const Tensor& vector, std::span<const double> factors);

}  // namespace ortool
