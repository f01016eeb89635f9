// Runs bench --estimate: times on described devices, computed instead of measured.
#pragma once

#include "apps/ortool/bench/bench_settings.hpp"
#include "apps/ortool/command.hpp"

namespace ortool {

void run_estimate(Invocation& invocation, const BenchSettings& settings);

}  // namespace ortool
