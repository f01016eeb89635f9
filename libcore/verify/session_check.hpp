// Session check: a rewritten model, as commands run it, compared with the original node by node.
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

/// The tolerance of node outputs in 16 bits.
inline constexpr double fp16_rtol = 2e-2;
inline constexpr double fp16_atol_of_max = 2e-2;

/// The sessions of one rewritten model that have been compared so far.
struct CheckedSessions {
  std::unique_ptr<Session> whole;
  std::unique_ptr<ResultStages> stages;
};

/// A session rewrites its model further, so it may differ even if the file is correct. Outputs get
/// the tolerance for other runtimes (Judge without options), quantized ones are compared stage by
/// stage.
class SessionCheck {
 public:
  /// `original` has inferred types and no function calls; `has_16_bits`: the result, but not the
  /// original, computes in 16 bits. `runner` makes sessions at the default level, and must outlive
  /// this object.
  SessionCheck(const JudgeOptions& options, const Model& original, bool has_16_bits,
               const StageRunner& runner);

  struct Expected {
    const NamedValues& inputs;
    const std::vector<RunValue>& outputs;
    /// Returns the original's stages of a run on these inputs; null when it has none.
    std::function<const OriginalStages*()> stages;
  };
  struct Verdict {
    bool has_passed = true;
    std::string output;  ///< the first one that differs
    std::string reason;
  };
  /// `make` creates the model, anew each time.
  Verdict compare(CheckedSessions& sessions, const std::function<std::unique_ptr<Model>()>& make,
                  const Expected& expected) const;

 private:
  Judge judge_;
  bool is_quantized_;
  Judge quantized_judge_;
  const StageRunner& runner_;
};

}  // namespace ortool
