// Staged comparison of a quantized model: from one quantization to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/verify/output_judge.hpp"
#include "libcore/verify/rounding_check.hpp"
#include "libcore/verify/stages.hpp"

namespace ortool {

/// Makes a session of a model, and runs one.
struct StageRunner {
  std::function<std::unique_ptr<Session>(std::unique_ptr<Model>)> make_session;
  std::function<std::vector<RunValue>(const Session&, const NamedValues&)> run;
};

/// The original model, with everything that its stages are compared by.
class OriginalStages {
 public:
  OriginalStages(std::unique_ptr<Model> model, const StageRunner& runner);

  const std::vector<Stage>& stages() const { return stages_; }
  /// From now on values are those of a run on these inputs.
  void run(const NamedValues& inputs);
  /// A tensor of the last run, or a constant; null for an empty name.
  const Tensor* tensor(const std::string& name) const;
  const RunValue& value(const std::string& name) const;
  /// The names of the model's own outputs.
  std::span<const std::string> outputs() const { return outputs_; }

 private:
  /// Makes its value available after a run.
  void keep(Graph& graph, const std::string& name);

  const StageRunner& runner_;
  std::vector<Stage> stages_;
  std::vector<std::string> outputs_;
  std::map<std::string, RunValue> constants_;
  std::map<std::string, RunValue> values_;
  std::unique_ptr<Session> session_;
};

/// The result of a staged comparison.
struct StageVerdict {
  bool has_passed = true;
  std::string value;  ///< the first output or integer tensor with an excessive difference
  std::string reason;
  std::int64_t stages = 0;
  RoundingCheck rounding;
};

/// The other form: each stage reads the integers, scales and zero points that the original
/// computed, so that rounding differences do not propagate to the next stage.
class ResultStages {
 public:
  /// `model` has inferred types. `original` and `runner` must outlive this object.
  ResultStages(std::unique_ptr<Model> model, const OriginalStages& original,
               const StageRunner& runner);

  bool has_stages() const { return !stages_.empty(); }
  /// On the inputs of the original's last run. The judge's tolerances apply to outputs, and to the
  /// floats that integers are quantized from.
  StageVerdict compare(const NamedValues& inputs, const Judge& judge) const;

 private:
  /// Replaces the value by a graph input for its consumers; false when the model has no such value.
  bool cut(Graph& graph, const std::string& name);
  void check_stage(const Stage& stage, const std::map<std::string, RunValue>& values,
                   const Judge& judge, StageVerdict& verdict) const;

  const OriginalStages& original_;
  const StageRunner& runner_;
  std::vector<Stage> stages_;
  std::map<std::string, std::string> inputs_;  ///< for the original's values, by their names
  std::vector<std::string> outputs_;           ///< in the session's order
  std::unique_ptr<Session> session_;
};

}  // namespace ortool
