// What the options of `ortool quantize` ask for.
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

/// Options, and where one is not given the setting of a plan (PlanFile::settings, an object or
/// null). Throws ErrorCode::invalid for options that do not go together, and ErrorCode::unsupported
/// for planned ones. Says what it guesses.
QuantizeSettings read_quantize_settings(const Invocation& invocation, const Json& plan);

/// What --metric and --max-drop say; nothing without them. Throws ErrorCode::invalid for values
/// that are none.
std::optional<Budget> read_budget(const OptionValues& options);

/// The sets, caches and recipes that the options name, for a model with `inputs`. Throws
/// ErrorCode::invalid for inputs that it has not, and texts that are no values.
QuantizeData read_quantize_data(const Invocation& invocation, const QuantizeSettings& settings,
                                std::span<Value* const> inputs);

}  // namespace ortool
