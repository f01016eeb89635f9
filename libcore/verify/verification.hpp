// Original and result run on the same inputs, and the search for the change that made a difference.
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

/// The change after which outputs differ and before which they do not.
struct GuiltyChange {
  std::string pass;
  std::string node;
  std::vector<std::string> members;  ///< the nodes it replaced
  std::int64_t number = 0;           ///< among all changes, from 1
};

/// What comparing stage by stage found, all runs together.
struct StageFigures {
  std::int64_t stages = 0;
  RoundingCheck rounding;
};

struct Verification {
  int runs = 0;
  double max_abs_error = 0;  ///< of outputs, from inputs to outputs
  double max_rel_error = 0;
  double sqnr_db = std::numeric_limits<double>::infinity();  ///< of the worst output of all runs
  /// Random nodes without a seed, which draw the same numbers in both models.
  std::int64_t pinned_seeds = 0;
  /// What outputs may be off by that are computed in 16-bit floats, in words; empty: there are
  /// none.
  std::string tolerance;
  /// Nothing: it was not compared, for `reason`.
  std::optional<bool> has_passed;
  std::string reason;  ///< of the first output that differs too
  std::string output;  ///< or the first quantised value
  /// Outputs differed by more than they may, so that stages were compared.
  std::optional<StageFigures> stages;
  /// What differs is the result in a session at the default level; node by node it is right.
  bool differs_in_session = false;
  std::optional<GuiltyChange> guilty;
  NamedValues inputs;  ///< of the run that differs
};

/// Whether an error says that the model cannot be run, rather than that this run has to end.
bool is_about_model(const Error& error);

/// Where the inputs of a comparison come from.
struct VerifierInputs {
  /// A value for every input that the model wants, in run `index` from 0; `tells`: with warnings of
  /// what was guessed.
  std::function<NamedValues(const Model& model, int index, bool tells)> make;
  bool are_given = false;       ///< `make` gives the same in each run, so that one is enough
  bool takes_test_data = true;  ///< the first run takes test_data_set_0 beside the model
};

/// What models are run with.
struct VerifierOptions {
  std::vector<std::shared_ptr<const Provider>> providers;
  ThreadPool& pool;
  int threads = 1;
  JudgeOptions judge = {};
  VerifierInputs inputs;
};

/// Runs models node by node, so that what differs is what was rewritten; then the result once more
/// in a session as other commands make it, which rewrites it further.
class Verifier {
 public:
  /// `rewriting` and the pool outlive this.
  Verifier(TaskContext task, const Rewriting& rewriting, VerifierOptions options);

  /// Compares the model as it was with what `report` tells of. Where the original cannot be run
  /// this throws what is wrong with it when the caller asked for runs, and otherwise says why there
  /// are none.
  Verification verify(const RewriteReport& report);

  /// Calls `visit` with the inputs of each run, one at least.
  void each_input(const std::function<void(const NamedValues&)>& visit);

  /// The original; random nodes without a seed get one, so that all forms draw the same numbers.
  std::unique_ptr<Model> load() const;
  /// Node by node, unless `level` says more.
  std::unique_ptr<Session> make_session(std::unique_ptr<Model> model,
                                        OptimizeLevel level = OptimizeLevel::none) const;
  std::vector<RunValue> run(const Session& session, const NamedValues& inputs) const;
  const Judge& judge() const { return judge_; }
  /// What a model that was converted to float16 is held to.
  Judge half_judge() const;

 private:
  bool has_given_inputs() const { return options_.inputs.are_given; }
  /// The inputs of test_data_set_0 beside the model, and their sizes, unless the user gave some.
  void read_test_inputs();
  /// Made-up or given inputs of run `index`, free dimensions having these sizes; `tells`: with
  /// warnings of what was guessed.
  NamedValues make_inputs(int index, const InputSizes& sizes, bool tells) const;
  /// What the original makes of the inputs of a run. Where the model does not take some sizes,
  /// others are tried.
  std::vector<RunValue> run_original(const Session& original, int index, NamedValues& inputs);
  /// False for the first output that differs.
  bool compare(const Session& original, std::span<const RunValue> found,
               std::span<const RunValue> expected, Verification& result) const;
  /// A rewritten model in the forms that it was compared in so far.
  struct Candidate {
    std::int64_t rewrites = all_rewrites;
    RewriteReport report = {};  ///< of how it was made
    std::unique_ptr<Session> session = {};
    std::unique_ptr<ResultStages> stages = {};
    CheckedSessions in_session = {};
  };
  /// What all candidates are held to.
  struct Reference {
    const Session& original;
    const NamedValues& inputs;
    const std::vector<RunValue>& expected;
  };
  std::unique_ptr<Model> make(Candidate& candidate) const;
  /// Whether the candidate gives what is expected, from end to end or else stage by stage.
  bool is_same(Candidate& candidate, const Reference& reference, Verification& result);
  /// False too where there are no stages; the figures of `result` stay then.
  bool is_same_in_stages(Candidate& candidate, const Reference& reference, Verification& result);
  /// Outputs of the original that follow from 16-bit floats are held to what these can.
  void expect_halves(Verification& result);
  /// The original's stages, run on the inputs of `reference`; null where it has none.
  OriginalStages* stages_of(const Reference& reference);
  void make_session_check();
  bool is_same_in_session(Candidate& candidate, const Reference& reference, Verification& result);
  void tell_difference(const Reference& reference, const RewriteReport& report,
                       Verification& result);
  GuiltyChange find_guilty(const Reference& reference, std::int64_t rewrites, bool in_session);

  TaskContext task_;
  const Rewriting& rewriting_;
  VerifierOptions options_;
  Judge judge_;
  NamedValues test_inputs_;
  SymbolNumbers sizes_;  ///< of free dimensions, as the test inputs have them
  std::optional<InputSizeChoice> size_choice_;
  StageRunner runner_;
  StageRunner session_runner_;  ///< at the default level
  std::optional<SessionCheck> session_check_;
  std::unique_ptr<OriginalStages> original_stages_;
  const NamedValues* staged_inputs_ = nullptr;  ///< that these were run on last
};

}  // namespace ortool
