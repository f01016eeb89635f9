// JSON of benchmark results.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/measure/bench/bench_result.hpp"
#include "libcore/measure/bench/gate.hpp"
#include "libcore/measure/bench/node_profile.hpp"

namespace ortool {

/// An entry of `results`; with `has_raw` every sample.
Json result_block(const VariantResult& result, bool has_raw);

/// [low, high], or null if the interval is unknown.
Json interval_block(const Interval& interval);

Json comparison_block(const VariantComparison& comparison);
Json gate_block(const GateEntry& entry);

Json profile_block(const NodeRow& row, const std::string& variant);
Json limits_block(const MachineLimits& limits);

}  // namespace ortool
