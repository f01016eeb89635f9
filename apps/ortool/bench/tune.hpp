// --tune: the fastest of the ways to run a model here, as a configuration for --config.
#pragma once

#include <string>
#include <vector>

#include "libcore/measure/bench/bench_result.hpp"

namespace ortool {

struct TuneOutcome {
  std::vector<VariantResult> results;  ///< of the last contest, the winner first
  Json block;                          ///< settings, what was tried, the gain, the file
  std::string text;
};

/// Tries every provider with several numbers of threads, then independent nodes at once with the
/// best of them, then, where providers differ, each node on the provider that was fastest with it;
/// what is not measurably faster is not taken, unless it needs fewer threads and surely takes no
/// longer. Writes the settings to the file that --tune names, under the commands that run models.
/// One model with one set of dimensions.
TuneOutcome tune(Invocation& invocation, const BenchSettings& settings);

}  // namespace ortool
