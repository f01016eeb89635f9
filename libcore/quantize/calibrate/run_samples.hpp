// Running a session sample by sample while somebody looks at its values.
#pragma once

#include <cstdint>
#include <functional>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/not_finite.hpp"

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
  MemoryCap* cap = nullptr;         ///< what is collected is counted against it; null: no limit
  const StopToken* stop = nullptr;  ///< looked at between samples; null: nobody stops it
  /// Called after each sample; may be empty.
  std::function<void(const CollectProgress&)> progress;
  /// Called when the state is worth saving: some seconds after the last time, at the end, and
  /// before the error of a stop is thrown. May be empty.
  std::function<void()> checkpoint;
  double checkpoint_seconds = 5;
  /// Called for each input with infinities, and by collect() for each value that it records with
  /// NaN or infinities, whenever it is seen. May be empty.
  std::function<void(const Value&, std::int64_t sample, const NotFinite&)> not_finite;
};

/// Sees the values of one sample after the other.
class SampleObserver : public ValueObserver {
 public:
  /// Whether the sample need not be run.
  virtual bool has(std::int64_t) const { return false; }
  /// What comes next belongs to sample `number`.
  virtual void begin(std::int64_t number) = 0;
  /// An input of the model, or what a node computed.
  virtual void see(const Value& value, const RunValue& content) = 0;
  /// The sample is over.
  virtual void finish(std::int64_t) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) final {
    if (node.output(index) != nullptr) see(*node.output(index), value);
  }
};

/// Runs the samples chosen but those that `observer` has, with the inputs that `sample` gives. A
/// stop is heeded between two samples only. Throws ErrorCode::invalid, with the sample's number,
/// for inputs with NaN, naming the first one's position.
void run_samples(const Session& session, SampleObserver& observer,
                 FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options);

}  // namespace ortool
