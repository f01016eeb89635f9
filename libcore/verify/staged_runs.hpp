// Two forms of a quantised model compared stage by stage, from one quantisation to the next.
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

/// The model as it was, with all that its stages are judged by.
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
  /// Its value will be known after a run.
  void keep(Graph& graph, const std::string& name);

  const StageRunner& runner_;
  std::vector<Stage> stages_;
  std::vector<std::string> outputs_;
  std::map<std::string, RunValue> constants_;
  std::map<std::string, RunValue> values_;
  std::unique_ptr<Session> session_;
};

/// What a comparison by stages found.
struct StageVerdict {
  bool has_passed = true;
  std::string value;  ///< the first output or integer tensor that differs too much
  std::string reason;
  std::int64_t stages = 0;
  RoundingCheck rounding;
};

/// The other form: each stage reads the integers, scales and zero points that the original made, so
/// that an integer rounded the other way does not reach the next stage.
class ResultStages {
 public:
  /// `model` has inferred types. `original` and `runner` outlive this.
  ResultStages(std::unique_ptr<Model> model, const OriginalStages& original,
               const StageRunner& runner);

  bool has_stages() const { return !stages_.empty(); }
  /// On the inputs of the original's last run. Outputs are held to the judge's tolerances, and so
  /// are the numbers that integers come from.
  StageVerdict compare(const NamedValues& inputs, const Judge& judge) const;

 private:
  /// Makes an input of what reads the value; false where the model has no such value.
  bool cut(Graph& graph, const std::string& name);
  void check_stage(const Stage& stage, const std::map<std::string, RunValue>& values,
                   const Judge& judge, StageVerdict& verdict) const;

  const OriginalStages& original_;
  const StageRunner& runner_;
  std::vector<Stage> stages_;
  std::map<std::string, std::string> inputs_;  ///< that stand for the original's values, by those
  std::vector<std::string> outputs_;           ///< in the session's order
  std::unique_ptr<Session> session_;
};

}  // namespace ortool
