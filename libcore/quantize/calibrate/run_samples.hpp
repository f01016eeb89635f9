// Sample loop: runs a session sample by sample under an observer of its values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/not_finite.hpp"

namespace ortool {

struct CollectProgress {
  std::int64_t done = 0;  ///< samples, including those of earlier passes
  std::int64_t total = 0;
  double seconds_left = 0;
};

struct CollectOptions {
  /// The samples to run are first_sample to sample_count - 1.
  std::int64_t first_sample = 0;
  std::int64_t sample_count = 0;
  int threads = 1;
  MemoryCap* cap = nullptr;         ///< accounts for the collected data; null: no limit
  const StopToken* stop = nullptr;  ///< checked between samples; null: not stoppable
  /// Called after each sample; may be empty.
  std::function<void(const CollectProgress&)> progress;
  /// Called with the session's outputs for each sample; may be empty.
  std::function<void(std::int64_t sample, const std::vector<RunValue>&)> outputs;
  /// Called when the state is worth saving: a few seconds after the last call, at the end, and
  /// before the error of a stop request is thrown. May be empty.
  std::function<void()> checkpoint;
  double checkpoint_seconds = 5;
  /// Called for each input with infinities, and by collect() for each recorded value with NaN or
  /// infinities, every time it occurs. May be empty.
  std::function<void(const Value&, std::int64_t sample, const NonFiniteCount&)> not_finite;
};

/// Observes the values of one sample after another.
class SampleObserver : public ValueObserver {
 public:
  /// Whether the sample can be skipped.
  virtual bool has(std::int64_t) const { return false; }
  /// The values that follow belong to sample `number`.
  virtual void begin(std::int64_t number) = 0;
  /// A model input, or the output of a node.
  virtual void see(const Value& value, const RunValue& content) = 0;
  /// The sample is complete.
  virtual void finish(std::int64_t) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) final {
    if (node.output(index) != nullptr) see(*node.output(index), value);
  }
};

/// Runs the selected samples that `observer` does not have yet, with the inputs that `sample`
/// provides. Stop requests take effect only between samples. Throws ErrorCode::invalid, with the
/// sample's index, for inputs with NaN, giving the position of the first.
void run_samples(const Session& session, SampleObserver& observer,
                 FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options);

}  // namespace ortool
