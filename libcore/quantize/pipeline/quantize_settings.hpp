// Quantization settings: mode, types, calibration method, recipe and accuracy budget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/quantize/search/budget.hpp"

namespace ortool {

enum class QuantizeMode { statically, dynamically, weights_only };

/// What the caller asks of the quantized model.
struct QuantizeSettings {
  QuantizeMode mode = QuantizeMode::statically;
  MethodOptions method;
  QuantizationType activations;
  QuantizationType weights{DataType::int8, true, false};
  bool is_per_channel = true;
  std::int64_t block_size = 0;  ///< of weight-only; 0: one scale per channel
  std::string recipe = "fast";
  bool has_random_data = false;  ///< ranges come from random inputs
  /// QOperator instead of QDQ; for weight-only, MatMulNBits instead of DequantizeLinear.
  bool has_integer_operators = false;
  bool keeps_faster = false;          ///< int8 only where it is faster on this machine
  bool follows_plan = false;          ///< choices come from a plan: no search
  bool has_chosen_method = false;     ///< the caller chose `method`: no search
  std::optional<Budget> budget = {};  ///< the metric of the result, and its allowed drop
};

std::string_view name_of(QuantizeMode mode);

}  // namespace ortool
