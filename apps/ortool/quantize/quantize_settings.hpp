// Settings of quantize.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/json/json.hpp"
#include "libcore/quantize/pipeline/quantize_data.hpp"
#include "libcore/quantize/pipeline/quantize_settings.hpp"

namespace ortool {

std::vector<OptionGroup> quantize_options();

/// Options, or the settings of a plan for options that are not given (PlanFile::settings, an object
/// or null). Throws ErrorCode::invalid for incompatible options, and ErrorCode::unsupported
/// for planned ones. Warns about assumptions.
QuantizeSettings read_quantize_settings(const Invocation& invocation, const Json& plan);

/// Values of --metric and --max-drop; empty without them. Throws ErrorCode::invalid for invalid
/// values.
std::optional<Budget> read_budget(const OptionValues& options);

/// Throws ErrorCode::invalid for data options that can be judged without the model.
void check_data_options(const OptionValues& options);

/// How many samples --samples needs at least; nothing: all.
std::optional<std::int64_t> needed_samples(const OptionValues& options);

/// The data sets, caches and image recipes that the options name, for a model with `inputs`. Throws
/// ErrorCode::invalid for unknown inputs and invalid values.
QuantizeData read_quantize_data(const Invocation& invocation, const QuantizeSettings& settings,
                                const Model& model);

}  // namespace ortool
