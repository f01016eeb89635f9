// Settings of quantization: mode, types, calibration method, recipe and budget.
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

/// What is asked of a quantised model.
struct QuantizeSettings {
  QuantizeMode mode = QuantizeMode::statically;
  MethodOptions method;
  QuantizationType activations;
  QuantizationType weights{DataType::int8, true, false};
  bool is_per_channel = true;
  std::int64_t block_size = 0;  ///< of weights alone; 0: a scale a channel
  std::string recipe = "fast";
  bool calibrates_only = false;
  bool has_random_data = false;  ///< ranges come from made-up inputs
  /// The QOperator form in place of QDQ; of weights alone, MatMulNBits in place of
  /// DequantizeLinear.
  bool has_integer_operators = false;
  bool keeps_faster = false;          ///< int8 only where this machine is faster with it
  bool follows_plan = false;          ///< choices come from a plan: nothing else is searched
  bool has_chosen_method = false;     ///< `method` is the caller's choice, not to be searched
  std::optional<Budget> budget = {};  ///< what the result is judged by, and what it may lose
};

std::string_view name_of(QuantizeMode mode);

}  // namespace ortool
