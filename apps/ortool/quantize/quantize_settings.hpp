// What the options of `ortool quantize` ask for.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/report/json.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

enum class QuantizeMode { statically, dynamically, weights_only };

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
};

std::vector<OptionGroup> quantize_options();

/// Options, and where one is not given the setting of a plan (PlanFile::settings, an object or
/// null). Throws ErrorCode::invalid for options that do not go together, and ErrorCode::unsupported
/// for planned ones. Says what it guesses.
QuantizeSettings read_quantize_settings(const Invocation& invocation, const Json& plan);

std::string_view name_of(QuantizeMode mode);

}  // namespace ortool
