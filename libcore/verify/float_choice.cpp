// Range check for 16 bits: observes every value of the runs while it is live.
#include "libcore/verify/float_choice.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool {
namespace {

/// Half of the type's maximum: other inputs may give somewhat larger values.
double largest_taken(DataType type) {
  return largest_finite(type) / 2;
}

/// The largest finite magnitude of each float32 node output, by name: values of the same name in
/// several bodies are combined.
class Magnitudes : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    const Value* output = node.output(index);
    if (output == nullptr || !value.is_tensor() || value.tensor().type() != DataType::float32)
      return;
    note(std::string(output->name()), value.tensor());
  }

  void note(const std::string& name, const Tensor& tensor) {
    const Statistics statistics = statistics_of(tensor);
    double& most = most_[name];
    most = std::max({most, std::abs(statistics.min), std::abs(statistics.max)});
  }

  double of(const Value* value) const {
    if (value == nullptr) return 0;
    while (value->captured() != nullptr) value = value->captured();
    if (value->is_graph_input() && value->graph().owner() != nullptr) return of_body_input(*value);
    const auto found = most_.find(std::string(value->name()));
    return found != most_.end() ? found->second : 0;
  }

 private:
  /// A body's input comes from its node's inputs, or from its own outputs in later iterations.
  double of_body_input(const Value& input) const {
    const Node& owner = *input.graph().owner();
    double most = 0;
    for (std::int64_t i = 0; i < owner.input_count(); ++i)
      most = std::max(most, of(owner.input(i)));
    for (const Value* output : input.graph().outputs()) {
      if (output->producer() == nullptr) continue;
      const auto found = most_.find(std::string(output->name()));
      if (found != most_.end()) most = std::max(most, found->second);
    }
    return most;
  }

  std::map<std::string, double> most_;
};

}  // namespace

std::map<std::string, std::string> find_floats_to_keep(const TaskContext& task,
                                                       const Rewriting& rewriting,
                                                       Verifier& verifier) {
  std::unique_ptr<Model> model = rewriting.load();
  static_cast<void>(rewriting.apply(*model));
  Magnitudes magnitudes;
  Progress progress(task, "observing float ranges");
  const std::unique_ptr<Session> session = verifier.make_session(std::move(model));
  verifier.each_input(
      [&](const NamedValues& inputs) {
        RunOptions options;
        options.observer = &magnitudes;
        static_cast<void>(session->run(inputs, options));
        for (const auto& [name, value] : inputs) {
          if (value.is_tensor() && value.tensor().type() == DataType::float32)
            magnitudes.note(name, value.tensor());
        }
      },
      &progress);
  std::map<std::string, std::string> reasons;
  const DataType type = rewriting.settings().float_type;
  const auto look_at = [&](const Node& node, const Value* value) {
    const double most = magnitudes.of(value);
    if (most <= largest_taken(type)) return;
    reasons.try_emplace(std::string(node.name()), format("'{}' reaches {}, near the {} maximum",
                                                         value->name(), most, name_of(type)));
  };
  std::vector<bool> is_used(rewriting.settings().kept_globs.size());
  for (const Graph* graph : graphs_in(*session->model().graph)) {
    for (const Node& node : graph->nodes()) {
      for (std::size_t i = 0; i < is_used.size(); ++i) {
        if (!matches_glob(node.name(), rewriting.settings().kept_globs[i])) continue;
        is_used[i] = true;
        reasons.try_emplace(std::string(node.name()),
                            format("excluded by {}", setting_name("keep-float")));
      }
      for (std::int64_t i = 0; i < node.input_count(); ++i) look_at(node, node.input(i));
      for (std::int64_t i = 0; i < node.output_count(); ++i) look_at(node, node.output(i));
    }
  }
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) continue;
    throw Error(ErrorCode::invalid,
                format("option {}: nothing in the rewritten model matches {}",
                       setting_name("keep-float"), quote(rewriting.settings().kept_globs[i])),
                "'ortool inspect MODEL --nodes' lists names; * matches any text")
        .with_id("usage.applies_to_nothing");
  }
  return reasons;
}

}  // namespace ortool
