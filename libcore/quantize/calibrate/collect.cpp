// Calibration observer that maps each value to its record once, by address.
#include "libcore/quantize/calibrate/collect.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

class RecordingObserver : public SampleObserver {
 public:
  RecordingObserver(Calibration& state, const CollectOptions& options)
      : state_(state), options_(options) {}

  bool has(std::int64_t number) const override { return state_.samples().contains(number); }
  void begin(std::int64_t number) override { sample_ = number; }
  void see(const Value& value, const RunValue& content) override {
    const auto [place, is_new] = records_.emplace(&value, nullptr);
    if (is_new) place->second = state_.find(value.name());
    if (place->second != nullptr) add_content(value, *place->second, content);
  }
  void finish(std::int64_t number) override { state_.finish_sample(number); }

 private:
  /// Every element of a sequence is recorded.
  void add_content(const Value& value, ValueRecord& record, const RunValue& content) {
    if (content.is_tensor()) add_tensor(value, record, content.tensor());
    if (!content.is_sequence()) return;
    for (const RunValue& element : content.elements()) add_content(value, record, element);
  }

  void add_tensor(const Value& value, ValueRecord& record, const Tensor& tensor) {
    const std::int64_t before = record.count() - record.finite_count();
    record.add(tensor, sample_);
    // Infinities in inputs are reported by run_samples().
    const bool has_some = record.count() - record.finite_count() > before;
    if (!has_some || !options_.not_finite || value.is_graph_input()) return;
    options_.not_finite(value, sample_, find_not_finite(tensor));
  }

  Calibration& state_;
  const CollectOptions& options_;
  std::int64_t sample_ = 0;
  std::unordered_map<const Value*, ValueRecord*> records_;
};

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

}  // namespace

void collect(const Session& session, Calibration& state,
             FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options) {
  check_values(session, state);
  const auto record_count = static_cast<std::int64_t>(state.records().size());
  const MemoryReservation taken(options.cap, record_count * bytes_a_record,
                                "the records of calibration");
  RecordingObserver observer(state, options);
  run_samples(session, observer, sample, options);
}

}  // namespace ortool
