// Precision options: --precision, --keep-float and --keep-float-op.
#pragma once

#include <string_view>
#include <vector>

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"
#include "libcore/base/precision.hpp"
#include "libcore/json/json.hpp"
#include "libcore/provider/kept_float.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

std::vector<OptionSpec> precision_options();

/// The type in which cuda holds float32 values by --precision: "bfloat16" or "float16". Empty where
/// cuda is not named, or nodes are to stay in float32, of which it cannot leave out any.
std::string device_precision(const OptionValues& options);

/// What --precision means for kernels up to `max_isa`; float32 without the option.
PrecisionChoice chosen_precision(const OptionValues& options, std::string_view max_isa = {});

/// Nodes of --keep-float and --keep-float-op; null without them.
KeepsFloat kept_floats(const OptionValues& options);

/// Throws what chosen_precision() throws, and ErrorCode::invalid where nodes are to stay in float32
/// and all do.
void check_precision_options(const OptionValues& options);

/// Throws ErrorCode::invalid if a name or a type of --keep-float or --keep-float-op is that of no
/// node of the session.
void check_kept_floats(const OptionValues& options, const Session& session);

/// {requested, used, reason} of --precision.
Json precision_block(const OptionValues& options);

}  // namespace ortool
