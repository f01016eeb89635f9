// Calibration's one pass over the data: every value looked at while it is computed, none kept.
#pragma once

#include <cstdint>

#include "libcore/base/function_ref.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/histogram.hpp"
#include "libcore/quantize/calibrate/run_samples.hpp"

namespace ortool {

/// About what a record takes at most, its channels aside.
inline constexpr std::int64_t bytes_a_record =
    std::int64_t{2} * Histogram::octaves * Histogram::bins_an_octave * 8 + 4096;

/// Runs `session` on the samples chosen, as `sample` gives their inputs, but those that `state`
/// holds already, and adds what their values are like. Shapes may differ from sample to
/// sample. The session must compute every node by itself (OptimizeLevel::none), so that each value
/// is seen; those of bodies are seen each time they run. A stop ends it between two samples: the
/// state is whole then, and a later call goes on from there. After any other error the state is not
/// to be used. Throws ErrorCode::invalid, with the sample's number, for inputs with NaN, and for
/// values of `state` that the model has not.
void collect(const Session& session, Calibration& state,
             FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options);

}  // namespace ortool
