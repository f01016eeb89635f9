// Bias correction: one sum over the weights of each output.
#include "libcore/quantize/refine/bias_correction.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

std::vector<double> expected_shift(const Tensor& weights, const Tensor& dequantized,
                                   const WeightMatrix& matrix, std::span<const double> means) {
  if (static_cast<std::int64_t>(means.size()) != matrix.inputs()) {
    throw Error(ErrorCode::invalid,
                format("{} means are given for {} inputs", means.size(), matrix.inputs()));
  }
  std::vector<double> shift(static_cast<std::size_t>(matrix.outputs()));
  for (std::int64_t output = 0; output < matrix.outputs(); ++output) {
    const std::int64_t first = output / matrix.group_outputs() * matrix.group_inputs();
    double sum = 0;
    for (std::int64_t input = 0; input < matrix.group_inputs(); ++input) {
      for (std::int64_t tap = 0; tap < matrix.taps(); ++tap) {
        const std::int64_t index = matrix.index(output, input, tap);
        sum += (element_as_double(dequantized, index) - element_as_double(weights, index)) *
               means[static_cast<std::size_t>(first + input)];
      }
    }
    shift[static_cast<std::size_t>(output)] = sum;
  }
  return shift;
}

Tensor corrected_bias(const Tensor& bias, std::span<const double> shift) {
  if (static_cast<std::int64_t>(shift.size()) != bias.element_count()) {
    throw Error(ErrorCode::invalid, format("{} corrections are given for a bias of {} elements",
                                           shift.size(), bias.element_count()));
  }
  Tensor corrected(bias.type(), bias.shape());
  for (std::int64_t i = 0; i < bias.element_count(); ++i) {
    set_element(corrected, i, element_as_double(bias, i) - shift[static_cast<std::size_t>(i)]);
  }
  return corrected;
}

}  // namespace ortool
