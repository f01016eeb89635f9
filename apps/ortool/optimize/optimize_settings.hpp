// Settings of optimize.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/report/level_names.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/verify/rewriting.hpp"

namespace ortool {

/// The options besides those on inputs, shapes and the output.
std::vector<OptionGroup> optimize_options();

/// Throws ErrorCode::invalid for passes that `known` lacks, with the nearest name, and for options
/// that have no effect.
OptimizeSettings read_optimize_settings(const OptionValues& options,
                                        std::span<const PassDescription> known);

}  // namespace ortool
