// Inputs of int8 convolutions by operator, for kernels that compute all of them: ConvInteger,
// QLinearConv and QuantizedConv.
#pragma once

#include <cstdint>

namespace ortool {

/// Input indices of the operands; -1 if the operator has no such operand.
struct Int8ConvInputs {
  std::int64_t image = 0;
  std::int64_t image_scale = -1;
  std::int64_t image_zero = 2;
  std::int64_t weights = 1;
  std::int64_t weight_scale = -1;
  std::int64_t weight_zero = 3;
  std::int64_t out_scale = -1;
  std::int64_t out_zero = -1;
  std::int64_t bias = -1;
  std::int64_t float_bias = -1;
  bool has_floats = false;  ///< rounding ties are decided by the float formula
};

inline constexpr Int8ConvInputs conv_integer_inputs;
inline constexpr Int8ConvInputs qlinear_conv_inputs = {0, 1, 2, 3, 4, 5, 6, 7, 8};
inline constexpr Int8ConvInputs quantized_conv_inputs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, true};

}  // namespace ortool
