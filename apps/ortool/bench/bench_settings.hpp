// Settings of bench, parsed from its options and checked before anything is loaded.
#pragma once

#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/measure/bench/bench_settings.hpp"

namespace ortool {

std::vector<OptionGroup> bench_options();

/// Throws ErrorCode::invalid for values that cannot be parsed and options that have no effect.
BenchSettings read_bench_settings(const Invocation& invocation);

}  // namespace ortool
