// Failing part: the smallest part of a model that a rewrite makes wrong.
#pragma once

#include <memory>
#include <vector>

#include "libcore/verify/verification.hpp"

namespace ortool {

/// Two forms of a model, or of a part of it, that give different outputs on the same inputs.
struct FailingPart {
  std::unique_ptr<Model> before;
  std::unique_ptr<Model> after;
  NamedValues inputs;             ///< of both
  std::vector<RunValue> outputs;  ///< of `before`
  bool is_part = false;           ///< false: the whole model
};

/// The nodes that the guilty change of `verification` replaced, in their original form, their
/// replacement, and their inputs in the failing run. If these nodes alone show no difference, or
/// are not part of the main graph: the whole original and the model after the change.
FailingPart find_failing_part(const Rewriting& rewriting, const Verifier& verifier,
                              const Verification& verification);

}  // namespace ortool
