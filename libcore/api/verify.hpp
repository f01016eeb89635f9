// Verifying a model against another: the outputs of both on the same inputs, and where they part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/api/compute_options.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/verify/divergence.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {

/// How two models are compared.
struct VerifyOptions {
  ComputeOptions compute = {};     ///< of the sessions that verify() makes
  Judge judge = Judge();           ///< what outputs may differ by
  NamedValues inputs = {};         ///< of both models; empty: they are random
  RandomInputOptions random = {};  ///< how
  bool finds_divergence = true;    ///< looks for the first node whose value differs
};

/// An output of both models.
struct OutputVerdict {
  std::string name;  ///< in the original
  Judge::Verdict verdict;
};

struct VerifyReport {
  std::vector<OutputVerdict> outputs;      ///< those that both models have, in their order
  std::vector<std::string> missing;        ///< outputs of the original that the other lacks
  std::optional<DivergenceSearch> search;  ///< where outputs differ: the first value that does

  /// All that could be compared are alike, and something could.
  bool has_passed() const;
};

/// Runs both models on the same inputs and holds the outputs of `result` against those of
/// `original`. Inputs and outputs are paired by name, or by position where the names differ and the
/// numbers do not. Models are copied, weights are not; calls of functions must have been inlined.
/// Throws ErrorCode::invalid for inputs that do not fit, what a session throws for a model that
/// cannot be run, and the reason of a stop request.
VerifyReport verify(const Model& original, const Model& result, const VerifyOptions& options);

/// The same for sessions that are there already: `outputs` are those of `reference`, some or all.
/// The first value that differs is found in another run of both, one node after the other.
VerifyReport verify_run(const ObservedRun& reference, std::span<const Output> outputs,
                        const ObservedRun& other, const VerifyOptions& options);

/// Gives inputs that `session` has under other names the names of its own, by their positions,
/// where their number is the same. Returns what was renamed, from and to.
std::vector<std::pair<std::string, std::string>> match_inputs(const Session& session,
                                                              NamedValues& inputs);

}  // namespace ortool
