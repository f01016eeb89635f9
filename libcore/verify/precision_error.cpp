// Precision error: one session after the other, compared with the outputs in float32.
#include "libcore/verify/precision_error.hpp"

#include <algorithm>
#include <set>

#include "libcore/base/error.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool {
namespace {

PrecisionError error_of(const Tensor& found, const Tensor& expected) {
  const TensorComparison comparison = compare(found, expected);
  PrecisionError error;
  const auto finite_count = [](const Tensor& tensor) {
    const Statistics statistics = statistics_of(tensor);
    return statistics.count - statistics.nan_count - statistics.inf_count;
  };
  // Data may decide an output's shape, as that of a list of detections.
  if (!comparison.difference.empty() || finite_count(found) != finite_count(expected)) {
    error.cosine_error = 1;
    error.sqnr_db = 0;
    return error;
  }
  error.cosine_error = std::max(0.0, 1 - comparison.cosine);
  error.sqnr_db = comparison.sqnr_db;
  error.max_abs_error = comparison.max_abs_error;
  return error;
}

bool is_worse(const PrecisionError& a, const PrecisionError& b) {
  if (a.cosine_error != b.cosine_error) return a.cosine_error > b.cosine_error;
  return a.sqnr_db < b.sqnr_db;
}

class PrecisionMeasurement {
 public:
  PrecisionMeasurement(const TaskContext& task, const PrecisionSessions& make_session,
                       std::span<const NamedValues> samples, const RunOptions& options)
      : task_(task),
        make_session_(make_session),
        samples_(samples),
        options_(options),
        progress_(task, "measuring precision") {
    progress_.expect(2);
  }

  PrecisionErrorReport measure(std::optional<double> budget) {
    run_in_float32();
    PrecisionErrorReport report;
    report.all = report.left =
        error_without(nullptr, [&](const Session& session) { report.nodes = nodes_of(session); });
    progress_.expect(static_cast<std::int64_t>(report.nodes.size()));
    for (NodePrecisionError& one : report.nodes)
      one.error = error_without([&](const Node& node) { return node.name() != one.node; });
    std::stable_sort(report.nodes.begin(), report.nodes.end(),
                     [](const auto& a, const auto& b) { return is_worse(a.error, b.error); });
    if (budget && report.all.cosine_error > *budget) keep_costliest(*budget, report);
    return report;
  }

 private:
  void run_in_float32() {
    const std::unique_ptr<Session> session = make_session_([&](const Node& node) {
      candidates_.emplace(node.name());
      return true;
    });
    for (const Placement& placement : session->placement())
      float_kernels_.insert(placement.node + "\n" + placement.kernel);
    for (const Value* output : session->outputs()) outputs_.emplace_back(output->name());
    bool has_floats = false;
    for (const NamedValues& inputs : samples_) {
      task_.stop.poll();
      std::vector<RunValue>& outputs = expected_.emplace_back(session->run(inputs, options_));
      for (RunValue& value : outputs) {
        has_floats = has_floats || is_measured(value);
        value = is_measured(value) ? value.owned(&task_.memory) : RunValue();
      }
    }
    if (!has_floats) {
      throw Error(ErrorCode::invalid, "no output is a tensor of floating-point numbers",
                  "name values between the nodes as outputs")
          .with_id("precision.outputs");
    }
    progress_.finish();
  }

  static bool is_measured(const RunValue& value) {
    return value.is_tensor() && is_floating_point(value.tensor().type());
  }

  /// Those that could be in 16 bits, and have another kernel now.
  std::vector<NodePrecisionError> nodes_of(const Session& session) const {
    std::vector<NodePrecisionError> nodes;
    for (const Placement& placement : session.placement()) {
      if (!candidates_.contains(placement.node)) continue;
      if (float_kernels_.contains(placement.node + "\n" + placement.kernel)) continue;
      nodes.push_back({placement.node, placement.op_type, placement.kernel, {}, false});
    }
    return nodes;
  }

  PrecisionError error_without(const KeepsFloat& keeps_float,
                               const std::function<void(const Session&)>& look = {}) {
    task_.stop.poll();
    const std::unique_ptr<Session> session = make_session_(keeps_float);
    if (look) look(*session);
    PrecisionError worst;
    for (std::size_t sample = 0; sample < samples_.size(); ++sample) {
      task_.stop.poll();
      const std::vector<RunValue> found = session->run(samples_[sample], options_);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const RunValue& expected = expected_[sample][i];
        if (!is_measured(expected)) continue;
        PrecisionError error = error_of(found[i].tensor(), expected.tensor());
        error.output = outputs_[i];
        if (worst.output.empty() || is_worse(error, worst)) worst = std::move(error);
      }
    }
    progress_.finish();
    return worst;
  }

  PrecisionError error_with_kept(const PrecisionErrorReport& report, std::size_t kept) {
    std::set<std::string, std::less<>> names;
    for (std::size_t i = 0; i < kept; ++i) names.insert(report.nodes[i].node);
    return error_without([&](const Node& node) { return names.contains(node.name()); });
  }

  /// The fewest of the first nodes, by bisection: with all of them kept there is no error.
  void keep_costliest(double budget, PrecisionErrorReport& report) {
    std::size_t too_few = 0;
    std::size_t enough = report.nodes.size();
    report.left = {report.all.output};
    while (enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      progress_.expect(1);
      const PrecisionError error = error_with_kept(report, middle);
      if (error.cosine_error > budget) {
        too_few = middle;
      } else {
        enough = middle;
        report.left = error;
      }
    }
    for (std::size_t i = 0; i < enough; ++i) report.nodes[i].is_kept = true;
  }

  const TaskContext& task_;
  const PrecisionSessions& make_session_;
  std::span<const NamedValues> samples_;
  const RunOptions& options_;
  Progress progress_;
  std::set<std::string, std::less<>> candidates_;  ///< names of nodes
  std::set<std::string> float_kernels_;            ///< "node\nkernel"
  std::vector<std::string> outputs_;
  std::vector<std::vector<RunValue>> expected_;  ///< by sample; nothing where not measured
};

}  // namespace

PrecisionErrorReport measure_precision_error(const TaskContext& task,
                                             const PrecisionSessions& make_session,
                                             std::span<const NamedValues> samples,
                                             const RunOptions& options,
                                             std::optional<double> budget) {
  return PrecisionMeasurement(task, make_session, samples, options).measure(budget);
}

}  // namespace ortool
