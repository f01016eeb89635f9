// Optimizing a model in one call: rewriting, conversion, and proof that the outputs stay.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/api/compute_options.hpp"
#include "libcore/inspect/model_size.hpp"
#include "libcore/verify/embedding_check.hpp"
#include "libcore/verify/failing_part.hpp"
#include "libcore/verify/opset_gain.hpp"
#include "libcore/verify/rewriting.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

struct OptimizeReport;

/// What optimize() does beside the settings it inherits: the level, passes, opset, 16 bits, and in
/// how many runs (`runs`) the result is compared with the original.
struct OptimizeOptions : OptimizeSettings {
  ComputeOptions compute = {};
  /// What runs, in its order; outlives the report. Empty: whole_pipeline().
  std::vector<RuleGroup> groups = {};
  /// Where the model comes from, and what is done to it before anything is rewritten. Without
  /// `load`, copies of the model in memory stand for its file.
  RewriteSource source = {};
  JudgeOptions judge = {};         ///< what outputs may differ by
  RandomInputOptions random = {};  ///< of the inputs of a comparison; sizes of free dimensions
  /// Where inputs come from instead. Without `make`, they are random, as `random` says.
  VerifierInputs inputs = {};
  bool finds_opset_gain = false;    ///< whether a newer opset would leave fewer nodes
  bool finds_failing_part = false;  ///< where a change is to blame for other outputs

  /// Called with the model that the result is compared with, its types inferred.
  std::function<void(const Model& original)> on_prepared = {};
  /// Called once the model is rewritten, before it is compared; may throw to end the call.
  std::function<void(const Model& rewritten, const OptimizeReport& report)> on_rewritten = {};
};

/// What became of a model.
struct OptimizeReport {
  ModelSize before;  ///< of the model as it is compared, nodes and bytes of constants
  ModelSize after;
  RewriteReport rewrites;
  std::vector<ClosestMatch> closest;  ///< patterns found in part; where `explains`
  std::optional<FloatConversionReport> float_conversion;  ///< where `float_type` has 16 bits
  Verification verification;               ///< has_passed is empty where nothing was compared
  std::vector<EmbeddingCheck> embeddings;  ///< one a picture input that the result prepares itself
  std::optional<FailingPart> failing_part;
  std::optional<OpsetGain> opset_gain;  ///< where `finds_opset_gain`

  /// Whether outputs were found to differ: the result is not to be used.
  bool differs() const;
};

/// Rewrites `model` in place. Errors of outputs in the report are absolute and relative ones, and
/// decibels of signal to noise. Throws ErrorCode::invalid for values, passes and patterns that the
/// model has not, ErrorCode::unsupported for an opset that it cannot be written for,
/// ErrorCode::memory_limit, and the reason of a stop request; `model` is then of no use.
OptimizeReport optimize(Model& model, const OptimizeOptions& options);

}  // namespace ortool
