// Tuning: finds the fastest settings for a model on this machine, as a file for --config.
#pragma once

#include <string>
#include <vector>

#include "libcore/measure/bench/bench_result.hpp"

namespace ortool {

struct TuneOutcome {
  std::vector<VariantResult> results;  ///< of the last comparison, the winner first
  Json block;                          ///< settings, candidates, gain, file
  std::string text;
};

/// Tries every provider with several numbers of threads, then parallel execution with the
/// best of them, then, with several providers, each node on the provider that was fastest for it.
/// A candidate must be measurably faster, or need fewer threads and certainly not be
/// slower. Writes the settings to the file that --tune names, under the commands that run models.
/// One model with one set of dimensions.
TuneOutcome tune(Invocation& invocation, const BenchSettings& settings);

}  // namespace ortool
