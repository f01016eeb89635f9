// What inspect --diff does.
#pragma once

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"

namespace ortool {

/// Compares `loaded` with the model that the option names, both as their files have them: inferred
/// shapes would only repeat what differs anyway. Fills the report, its verdict included.
void run_diff(const Invocation& invocation, const LoadedModel& loaded,
              const LoadOptions& load_options);

}  // namespace ortool
