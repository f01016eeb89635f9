// Original and result run on the same inputs, and the search for the change that made a difference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/optimize/rewriting.hpp"
#include "apps/ortool/report/json.hpp"
#include "apps/ortool/run/judge.hpp"
#include "apps/ortool/run/random_inputs.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The change after which outputs differ and before which they do not.
struct GuiltyChange {
  std::string pass;
  std::string node;
  std::vector<std::string> members;  ///< the nodes it replaced
  std::int64_t number = 0;           ///< among all changes, from 1
};

struct Verification {
  int runs = 0;
  double max_abs_error = 0;
  double max_rel_error = 0;
  /// Nothing: it was not compared, for `reason`.
  std::optional<bool> has_passed;
  std::string reason;  ///< of the first output that differs too
  std::string output;
  std::optional<GuiltyChange> guilty;
  NamedValues inputs;  ///< of the run that differs
};

/// Runs models without any optimisation of the session's own, so that what differs is what was
/// rewritten.
class Verifier {
 public:
  Verifier(const Invocation& invocation, const Rewriting& rewriting,
           std::vector<std::shared_ptr<const Provider>> providers, ThreadPool& pool);

  /// Compares the model as it was with what `report` tells of. Where the original cannot be run
  /// this throws what is wrong with it when the user asked for runs, and otherwise says why there
  /// are none.
  Verification verify(const RewriteReport& report);

  /// Calls `visit` with the inputs of each run, one at least.
  void each_input(const std::function<void(const NamedValues&)>& visit);

  std::unique_ptr<Session> make_session(std::unique_ptr<Model> model) const;
  std::vector<RunValue> run(const Session& session, const NamedValues& inputs) const;
  const Judge& judge() const { return judge_; }

 private:
  bool has_given_inputs() const;
  /// The inputs of test_data_set_0 beside the model, and their sizes, unless the user gave some.
  void read_test_inputs();
  /// Made-up or given inputs of run `index`, symbols being `size` where nothing says more.
  NamedValues make_inputs(int index, std::int64_t size) const;
  /// What the original makes of the inputs of a run. Free dimensions change with it; where the
  /// model does not take one size, others are tried.
  std::vector<RunValue> run_original(const Session& original, int index, NamedValues& inputs) const;
  /// False for the first output that differs.
  bool compare(const Session& original, std::span<const RunValue> found,
               std::span<const RunValue> expected, Verification& result) const;
  /// Whether the rewritten model, made at the first call, gives what is expected.
  bool is_same(std::unique_ptr<Session>& rewritten, const Session& original,
               const NamedValues& inputs, std::span<const RunValue> expected,
               Verification& result) const;
  void tell_difference(const Session& original, const NamedValues& inputs,
                       const std::vector<RunValue>& expected, const RewriteReport& report,
                       Verification& result) const;
  GuiltyChange find_guilty(const Session& original, const std::vector<RunValue>& expected,
                           const NamedValues& inputs, std::int64_t rewrites) const;
  bool is_same_after(std::int64_t rewrites, const Session& original,
                     const std::vector<RunValue>& expected, const NamedValues& inputs,
                     RewriteReport& report) const;

  const Invocation& invocation_;
  const Rewriting& rewriting_;
  std::vector<std::shared_ptr<const Provider>> providers_;
  ThreadPool& pool_;
  Judge judge_;
  NamedValues test_inputs_;
  SymbolNumbers sizes_;  ///< of free dimensions, as the test inputs have them
};

/// {runs, max_abs_error, max_rel_error, passed, …}.
Json verification_block(const Verification& verification);

}  // namespace ortool
