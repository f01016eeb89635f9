// Sample loop: shows the inputs, runs the session, reports progress, saves checkpoints.
#include "libcore/quantize/calibrate/run_samples.hpp"

#include <chrono>
#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

class Watch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void restart() { begin_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// NaN has no range. Infinities are legitimate in some inputs, such as additive attention masks.
void check_input(const std::string& name, const Value* input, const RunValue& content,
                 std::int64_t sample, const CollectOptions& options) {
  if (!content.is_tensor()) return;
  const NonFiniteCount found = find_not_finite(content.tensor());
  if (found.count() == 0) return;
  if (found.nan_count == 0) {
    if (options.not_finite && input != nullptr) options.not_finite(*input, sample, found);
    return;
  }
  throw Error(ErrorCode::invalid,
              format("input {} holds {} NaN: {}", quote(name), found.nan_count, found.to_string()),
              "calibration data must be finite")
      .with_id("calibration.nan");
}

void run_one(const Session& session, SampleObserver& observer, const NamedValues& inputs,
             std::int64_t number, const RunOptions& run_options, const CollectOptions& options) {
  const Graph& graph = *session.model().graph;
  for (const auto& [name, content] : inputs) {
    const Value* input = graph.find_value(name);
    check_input(name, input, content, number, options);
    if (input != nullptr) observer.see(*input, content);
  }
  const std::vector<RunValue> outputs = session.run(inputs, run_options);
  if (options.outputs) options.outputs(number, outputs);
}

}  // namespace

void run_samples(const Session& session, SampleObserver& observer,
                 FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options) {
  RunOptions run_options;
  run_options.threads = options.threads;
  run_options.observer = &observer;
  const Watch whole;
  Watch since_save;
  const auto save = [&] {
    if (options.checkpoint) options.checkpoint();
    since_save.restart();
  };
  const std::int64_t total = options.sample_count - options.first_sample;
  std::int64_t run_now = 0;
  for (std::int64_t number = options.first_sample; number < options.sample_count; ++number) {
    if (observer.has(number)) continue;
    if (options.stop != nullptr && options.stop->is_requested()) {
      save();
      options.stop->poll();
    }
    try {
      const NamedValues inputs = sample(number);
      observer.begin(number);
      run_one(session, observer, inputs, number, run_options, options);
    } catch (Error& error) {
      throw error.in(format("sample {}", number));
    }
    observer.finish(number);
    ++run_now;
    if (options.progress) {
      const std::int64_t done = number + 1 - options.first_sample;
      const double each = whole.seconds() / static_cast<double>(run_now);
      options.progress({done, total, each * static_cast<double>(total - done)});
    }
    if (since_save.seconds() >= options.checkpoint_seconds) save();
  }
  save();
}

}  // namespace ortool
