// An observer that finds the record of each value once, by its address.
#include "libcore/quantize/collect.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/traverse.hpp"

namespace ortool {
namespace {

using Clock = std::chrono::steady_clock;

class RecordingObserver : public ValueObserver {
 public:
  explicit RecordingObserver(Calibration& state) : state_(state) {}

  void begin_sample(std::int64_t number) { sample_ = number; }
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    if (node.output(index) != nullptr) add(*node.output(index), value);
  }
  void add(const Value& value, const RunValue& content) {
    const auto [place, is_new] = records_.emplace(&value, nullptr);
    if (is_new) place->second = state_.find(value.name());
    if (place->second != nullptr) add_content(*place->second, content);
  }

 private:
  /// Of a sequence, every element counts.
  void add_content(ValueRecord& record, const RunValue& content) {
    if (content.is_tensor()) record.add(content.tensor(), sample_);
    if (!content.is_sequence()) return;
    for (const RunValue& element : content.elements()) add_content(record, element);
  }

  Calibration& state_;
  std::int64_t sample_ = 0;
  std::unordered_map<const Value*, ValueRecord*> records_;
};

void check_input(const std::string& name, const RunValue& content) {
  if (!content.is_tensor()) return;
  ValueRecord record({.with_histogram = false});
  record.add(content.tensor(), 0);
  if (record.nan_count() == 0) return;
  throw Error(ErrorCode::invalid, format("input {} holds {} NaN", quote(name), record.nan_count()),
              "calibration data must be numbers");
}

void check_values(const Session& session, const Calibration& state) {
  const std::vector<const Graph*> graphs = graphs_in(std::as_const(*session.model().graph));
  for (const auto& [name, record] : state.records()) {
    const bool is_known = std::any_of(
        graphs.begin(), graphs.end(),
        [&wanted = name](const Graph* graph) { return graph->find_value(wanted) != nullptr; });
    if (is_known) continue;
    NearestName nearest(name);
    for (const Graph* graph : graphs) {
      for (const Value* value : graph->inputs()) nearest.offer(value->name());
      for (const Node& node : graph->nodes()) {
        for (std::int64_t i = 0; i < node.output_count(); ++i) {
          if (node.output(i) != nullptr) nearest.offer(node.output(i)->name());
        }
      }
    }
    throw Error(
        ErrorCode::invalid, format("the model has no value {} to calibrate", quote(name)),
        nearest.best().empty() ? std::string() : format("did you mean {}?", quote(nearest.best())));
  }
}

/// About what a record takes at most, its channels aside.
constexpr std::int64_t bytes_a_record =
    std::int64_t{2} * Histogram::octaves * Histogram::bins_an_octave * 8 + 4096;

}  // namespace

void collect(const Session& session, Calibration& state,
             FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options) {
  check_values(session, state);
  const auto record_count = static_cast<std::int64_t>(state.records().size());
  const TakenBytes taken(options.cap, record_count * bytes_a_record, "the records of calibration");
  RecordingObserver observer(state);
  RunOptions run_options;
  run_options.threads = options.threads;
  run_options.observer = &observer;
  const Graph& graph = *session.model().graph;
  const Clock::time_point begin = Clock::now();
  Clock::time_point saved = begin;
  const auto save = [&] {
    if (options.checkpoint) options.checkpoint();
    saved = Clock::now();
  };
  const auto seconds_since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  std::int64_t done_now = 0;
  for (std::int64_t number = options.first_sample; number < options.sample_count; ++number) {
    if (state.samples().contains(number)) continue;
    if (options.stop != nullptr && options.stop->is_requested()) {
      save();
      options.stop->poll();
    }
    try {
      const NamedValues inputs = sample(number);
      observer.begin_sample(number);
      for (const auto& [name, content] : inputs) {
        check_input(name, content);
        const Value* input = graph.find_value(name);
        if (input != nullptr) observer.add(*input, content);
      }
      session.run(inputs, run_options);
    } catch (Error& error) {
      throw error.in(format("sample {}", number));
    }
    state.finish_sample(number);
    ++done_now;
    const std::int64_t done = state.samples().count();
    if (options.progress) {
      const double each = seconds_since(begin) / static_cast<double>(done_now);
      options.progress(
          {done, options.sample_count, each * static_cast<double>(options.sample_count - done)});
    }
    if (seconds_since(saved) >= options.checkpoint_seconds) save();
  }
  save();
}

}  // namespace ortool
