// Weight matrix: one index formula per layout; all else iterates over outputs and inputs.
#include "libcore/quantize/refine/weight_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Calls body(output, input over all groups, flat index) for every weight.
template <typename Body>
void for_weights(const WeightMatrix& matrix, Body body) {
  for (std::int64_t output = 0; output < matrix.outputs(); ++output) {
    const std::int64_t first_input = output / matrix.group_outputs() * matrix.group_inputs();
    for (std::int64_t input = 0; input < matrix.group_inputs(); ++input) {
      for (std::int64_t tap = 0; tap < matrix.taps(); ++tap) {
        body(output, first_input + input, matrix.index(output, input, tap));
      }
    }
  }
}

/// A deep copy of `tensor`, whose elements may be modified.
Tensor copy_of(const Tensor& tensor) {
  Tensor copy(tensor.type(), tensor.shape());
  std::copy_n(tensor.bytes(), tensor.size_bytes(), copy.mutable_bytes());
  return copy;
}

void check_factors(std::int64_t wanted, std::span<const double> factors) {
  if (static_cast<std::int64_t>(factors.size()) == wanted) return;
  throw Error(ErrorCode::invalid,
              format("{} factors are given for {} channels", factors.size(), wanted));
}

}  // namespace

WeightMatrix::WeightMatrix(const Shape& shape, WeightLayout layout, std::int64_t groups)
    : layout_(layout), groups_(groups) {
  const bool has_outputs_first = layout == WeightLayout::outputs_first;
  if (shape.rank() < 2 || groups < 1 || shape[0] % groups != 0) {
    throw Error(ErrorCode::invalid, format("weights of shape {} are not a matrix in {} groups",
                                           shape.to_string(), groups));
  }
  group_outputs_ = has_outputs_first ? shape[0] / groups : shape[1];
  group_inputs_ = has_outputs_first ? shape[1] : shape[0] / groups;
  taps_ = shape.product(2, shape.rank());
}

std::int64_t WeightMatrix::index(std::int64_t output, std::int64_t input, std::int64_t tap) const {
  if (layout_ == WeightLayout::outputs_first) {
    return (output * group_inputs_ + input) * taps_ + tap;
  }
  const std::int64_t group = output / group_outputs_;
  const std::int64_t row = group * group_inputs_ + input;
  return (row * group_outputs_ + output % group_outputs_) * taps_ + tap;
}

std::vector<double> output_magnitudes(const Tensor& weights, const WeightMatrix& matrix) {
  std::vector<double> magnitudes(static_cast<std::size_t>(matrix.outputs()));
  for_weights(matrix, [&](std::int64_t output, std::int64_t, std::int64_t index) {
    double& most = magnitudes[static_cast<std::size_t>(output)];
    most = std::max(most, std::abs(element_as_double(weights, index)));
  });
  return magnitudes;
}

std::vector<double> input_magnitudes(const Tensor& weights, const WeightMatrix& matrix) {
  std::vector<double> magnitudes(static_cast<std::size_t>(matrix.inputs()));
  for_weights(matrix, [&](std::int64_t, std::int64_t input, std::int64_t index) {
    double& most = magnitudes[static_cast<std::size_t>(input)];
    most = std::max(most, std::abs(element_as_double(weights, index)));
  });
  return magnitudes;
}

Tensor scale_outputs(const Tensor& weights, const WeightMatrix& matrix,
                     std::span<const double> factors) {
  check_factors(matrix.outputs(), factors);
  Tensor scaled = copy_of(weights);
  for_weights(matrix, [&](std::int64_t output, std::int64_t, std::int64_t index) {
    set_element(scaled, index,
                element_as_double(weights, index) * factors[static_cast<std::size_t>(output)]);
  });
  return scaled;
}

Tensor scale_inputs(const Tensor& weights, const WeightMatrix& matrix,
                    std::span<const double> factors) {
  check_factors(matrix.inputs(), factors);
  Tensor scaled = copy_of(weights);
  for_weights(matrix, [&](std::int64_t, std::int64_t input, std::int64_t index) {
    set_element(scaled, index,
                element_as_double(weights, index) * factors[static_cast<std::size_t>(input)]);
  });
  return scaled;
}

Tensor scale_elements(const Tensor& vector, std::span<const double> factors) {
  check_factors(vector.element_count(), factors);
  Tensor scaled = copy_of(vector);
  for (std::int64_t i = 0; i < vector.element_count(); ++i) {
    set_element(scaled, i, element_as_double(vector, i) * factors[static_cast<std::size_t>(i)]);
  }
  return scaled;
}

}  // namespace ortool
