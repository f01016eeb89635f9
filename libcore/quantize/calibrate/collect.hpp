// Calibration pass: observes every value while it is computed, and keeps none of them.
#pragma once

#include <cstdint>

#include "libcore/base/function_ref.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/histogram.hpp"
#include "libcore/quantize/calibrate/run_samples.hpp"

namespace ortool {

/// The approximate maximum size of a record, not counting its channels.
inline constexpr std::int64_t bytes_a_record =
    std::int64_t{2} * Histogram::octaves * Histogram::bins_an_octave * 8 + 4096;

/// Runs `session` on the selected samples, whose inputs `sample` provides, skipping those that
/// `state` already holds, and adds the statistics of its values. Shapes may differ between samples.
/// The session must run every node separately (OptimizeLevel::none), so that each value is
/// observable; values in subgraph bodies are recorded each time they are computed. A stop request
/// takes effect between samples: the state is then consistent, and a later call resumes from it.
/// After any other error the state must not be used. Throws ErrorCode::invalid, with the sample's
/// index, for inputs with NaN, and for values of `state` that the model does not have.
void collect(const Session& session, Calibration& state,
             FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options);

}  // namespace ortool
