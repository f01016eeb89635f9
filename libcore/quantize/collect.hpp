// Calibration's one pass over the data: every value looked at while it is computed, none kept.
#pragma once

#include <cstdint>
#include <functional>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/quantize/calibration.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

struct CollectProgress {
  std::int64_t done = 0;  ///< samples, those of earlier passes included
  std::int64_t total = 0;
  double seconds_left = 0;
};

struct CollectOptions {
  /// The samples to see are first_sample to sample_count - 1.
  std::int64_t first_sample = 0;
  std::int64_t sample_count = 0;
  int threads = 1;
  MemoryCap* cap = nullptr;         ///< the records are counted against it; null: no limit
  const StopToken* stop = nullptr;  ///< looked at between samples; null: nobody stops it
  /// Called after each sample; may be empty.
  std::function<void(const CollectProgress&)> progress;
  /// Called when the state is worth saving: some seconds after the last time, at the end, and
  /// before the error of a stop is thrown. May be empty.
  std::function<void()> checkpoint;
  double checkpoint_seconds = 5;
};

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
