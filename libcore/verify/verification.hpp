// Verification: compares original and result on the same inputs, and bisects the change at fault.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/verify/input_sizes.hpp"
#include "libcore/verify/output_judge.hpp"
#include "libcore/verify/rewriting.hpp"
#include "libcore/verify/session_check.hpp"
#include "libcore/verify/staged_runs.hpp"

namespace ortool {

/// The change that introduced a difference.
struct CulpritChange {
  std::string pass;
  std::string node;
  std::vector<std::string> members;  ///< the nodes it replaced
  std::int64_t number = 0;           ///< among all changes, from 1
};

/// The results of staged comparison, over all runs.
struct StageFigures {
  std::int64_t stages = 0;
  RoundingCheck rounding;
};

struct Verification {
  int runs = 0;
  double max_abs_error = 0;  ///< of outputs, end to end
  double max_rel_error = 0;
  double sqnr_db = std::numeric_limits<double>::infinity();  ///< of the worst output of all runs
  /// Random nodes whose unset seed was fixed, so that they draw the same numbers in both models.
  std::int64_t pinned_seeds = 0;
  /// The tolerance of outputs computed in 16-bit floats, in words; empty when there are none.
  std::string tolerance;
  /// Nothing: not compared, for `reason`.
  std::optional<bool> has_passed;
  std::string reason;  ///< also of the first output that differs
  std::string output;  ///< or the first quantized value
  /// Set when end-to-end differences exceeded the tolerance, so that stages were compared.
  std::optional<StageFigures> stages;
  /// The result differs in a session at the default level, but is correct node by node.
  bool differs_in_session = false;
  std::optional<CulpritChange> culprit;
  NamedValues inputs;  ///< of the failing run
};

/// Whether an error means that the model cannot be run, rather than that this run must end.
bool is_about_model(const Error& error);

/// The source of a comparison's inputs.
struct VerifierInputs {
  /// A value for every required input of the model, for run `index` from 0; `tells`: warn about
  /// guesses.
  std::function<NamedValues(const Model& model, int index, bool tells)> make;
  bool are_given = false;       ///< `make` returns the same for each run, so one is enough
  bool takes_test_data = true;  ///< the first run uses test_data_set_0 next to the model
};

/// The resources for running models.
struct VerifierOptions {
  std::vector<std::shared_ptr<const Provider>> providers;
  ThreadPool& pool;
  int threads = 1;
  JudgeOptions judge = {};
  VerifierInputs inputs;
};

/// Runs models node by node, so that only the rewriting can cause differences; then runs the result
/// once more in a session as other commands create it, which rewrites it further.
class Verifier {
 public:
  /// `rewriting` and the pool must outlive this object.
  Verifier(TaskContext task, const Rewriting& rewriting, VerifierOptions options);

  /// Compares the original with the result that `report` describes. If the original cannot be run,
  /// throws its error when the caller requested runs, and otherwise reports why there are none.
  Verification verify(const RewriteReport& report, Progress& progress);

  /// Calls `visit` with the inputs of each run, at least once; `progress` (may be null) counts
  /// them.
  void each_input(const std::function<void(const NamedValues&)>& visit,
                  Progress* progress = nullptr);

  /// The original; random nodes without a seed get one, so that all forms draw the same numbers.
  std::unique_ptr<Model> load() const;
  /// Node by node, unless `level` is higher.
  std::unique_ptr<Session> make_session(std::unique_ptr<Model> model,
                                        OptimizeLevel level = OptimizeLevel::none) const;
  std::vector<RunValue> run(const Session& session, const NamedValues& inputs) const;
  const Judge& judge() const { return judge_; }
  /// The tolerances for a model converted to 16 bits.
  Judge fp16_judge() const;

 private:
  bool has_given_inputs() const { return options_.inputs.are_given; }
  /// Reads the inputs of test_data_set_0 next to the model, and their sizes, unless the user gave
  /// inputs.
  void read_test_inputs();
  /// Random or given inputs of run `index`, with these sizes of free dimensions; `tells`: warn
  /// about guesses.
  NamedValues make_inputs(int index, const InputSizes& sizes, bool tells) const;
  /// The original's outputs for the inputs of a run. If the model rejects some sizes, others are
  /// tried.
  std::vector<RunValue> run_original(const Session& original, int index, NamedValues& inputs);
  /// False at the first output that differs.
  bool compare(const Session& original, std::span<const RunValue> found,
               std::span<const RunValue> expected, Verification& result) const;
  /// A rewritten model in the forms compared so far.
  struct Candidate {
    std::int64_t rewrites = all_rewrites;
    RewriteReport report = {};  ///< of its rewriting
    std::unique_ptr<Session> session = {};
    std::unique_ptr<ResultStages> stages = {};
    CheckedSessions in_session = {};
  };
  /// The reference for all candidates.
  struct Reference {
    const Session& original;
    const NamedValues& inputs;
    const std::vector<RunValue>& expected;
  };
  std::unique_ptr<Model> make(Candidate& candidate) const;
  /// Whether the candidate matches, end to end or else stage by stage.
  bool is_same(Candidate& candidate, const Reference& reference, Verification& result);
  /// Also false when there are no stages; the figures of `result` are then unchanged.
  bool is_same_in_stages(Candidate& candidate, const Reference& reference, Verification& result);
  /// Outputs of the original that depend on 16-bit floats get the tolerance of these.
  void expect_fp16(Verification& result);
  void expect_rounding(Verification& result);
  /// The original's stages, run on the inputs of `reference`; null when it has none.
  OriginalStages* stages_of(const Reference& reference);
  void make_session_check();
  bool is_same_in_session(Candidate& candidate, const Reference& reference, Verification& result);
  void tell_difference(const Reference& reference, const RewriteReport& report,
                       Verification& result);
  CulpritChange find_culprit(const Reference& reference, std::int64_t rewrites, bool in_session);

  TaskContext task_;
  const Rewriting& rewriting_;
  VerifierOptions options_;
  Judge judge_;
  NamedValues test_inputs_;
  SymbolSizes sizes_;  ///< of free dimensions, according to the test inputs
  std::optional<InputSizeChoice> size_choice_;
  StageRunner runner_;
  StageRunner session_runner_;  ///< at the default level
  std::optional<SessionCheck> session_check_;
  std::unique_ptr<OriginalStages> original_stages_;
  const NamedValues* staged_inputs_ = nullptr;  ///< of their last run
};

}  // namespace ortool
