// A rewritten model in a session as commands make it, held against the original node by node.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/verify/output_judge.hpp"
#include "libcore/verify/staged_runs.hpp"

namespace ortool {

/// What outputs of nodes in 16 bits may differ by.
inline constexpr double half_rtol = 2e-2;
inline constexpr double half_atol_of_max = 2e-2;

/// The sessions that one rewritten model was compared in so far.
struct CheckedSessions {
  std::unique_ptr<Session> whole;
  std::unique_ptr<ResultStages> stages;
};

/// Sessions rewrite what they run once more, so that they may differ where the file is right.
/// Outputs are held to what other runtimes may differ by (Judge without options), quantised ones
/// stage by stage.
class SessionCheck {
 public:
  /// The types of `original` are inferred, and its calls inlined; `is_float16`: the result computes
  /// in 16 bits where it does not. `runner` makes sessions at the default level, and outlives this.
  SessionCheck(const JudgeOptions& options, const Model& original, bool is_float16,
               const StageRunner& runner);

  struct Expected {
    const NamedValues& inputs;
    const std::vector<RunValue>& outputs;
    /// Gives the original's stages of a run on these inputs; null where it has none.
    std::function<const OriginalStages*()> stages;
  };
  struct Verdict {
    bool has_passed = true;
    std::string output;  ///< the first one that differs
    std::string reason;
  };
  /// `make` gives the model, each time anew.
  Verdict compare(CheckedSessions& sessions, const std::function<std::unique_ptr<Model>()>& make,
                  const Expected& expected) const;

 private:
  Judge judge_;
  bool is_quantized_;
  Judge quantized_judge_;
  const StageRunner& runner_;
};

}  // namespace ortool
