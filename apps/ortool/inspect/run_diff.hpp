// Runs inspect --diff.
#pragma once

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"

namespace ortool {

/// Compares `loaded` with the model that the option names, both as in their files: inferred
/// shapes would only repeat other differences. Fills the report, including its verdict.
void run_diff(const Invocation& invocation, const LoadedModel& loaded,
              const LoadOptions& load_options);

}  // namespace ortool
