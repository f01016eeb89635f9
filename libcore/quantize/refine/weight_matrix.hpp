// The weights of a product or a convolution as one matrix a group: outputs by inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Where a layer's weights lie.
enum class WeightLayout {
  outputs_first,  ///< Conv [out, in / groups, kernel…]; Gemm with transB [out, in]
  inputs_first,   ///< MatMul, Gemm [in, out]; ConvTranspose [in, out / groups, kernel…]
};

/// A view of weights as groups of matrices. Channels are counted over all groups; taps are the
/// places of the kernel, 1 of a plain product.
class WeightMatrix {
 public:
  /// Throws ErrorCode::invalid when `groups` does not divide what it should, or the rank is
  /// below 2.
  WeightMatrix(const Shape& shape, WeightLayout layout, std::int64_t groups = 1);

  std::int64_t groups() const { return groups_; }
  std::int64_t outputs() const { return groups_ * group_outputs_; }  ///< of all groups
  std::int64_t inputs() const { return groups_ * group_inputs_; }    ///< of all groups
  std::int64_t group_outputs() const { return group_outputs_; }
  std::int64_t group_inputs() const { return group_inputs_; }
  std::int64_t taps() const { return taps_; }

  /// The flat index of the weight from input `input` of a group to output `output` of all.
  std::int64_t index(std::int64_t output, std::int64_t input, std::int64_t tap) const;

 private:
  WeightLayout layout_;
  std::int64_t groups_;
  std::int64_t group_outputs_;
  std::int64_t group_inputs_;
  std::int64_t taps_;
};

/// The largest magnitude among the weights of each output channel, and of each input channel.
std::vector<double> output_magnitudes(const Tensor& weights, const WeightMatrix& matrix);
std::vector<double> input_magnitudes(const Tensor& weights, const WeightMatrix& matrix);

/// The weights with those of each output (input) channel times its factor, in their own type.
Tensor scale_outputs(const Tensor& weights, const WeightMatrix& matrix,
                     std::span<const double> factors);
Tensor scale_inputs(const Tensor& weights, const WeightMatrix& matrix,
                    std::span<const double> factors);

/// A vector with each element times its factor, in its own type: a bias, a scale.
Tensor scale_elements(const Tensor& vector, std::span<const double> factors);

}  // namespace ortool
