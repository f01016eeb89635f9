// Running a model as the options of `ortool run` say.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// Loads the model, runs it or its tests, and fills the report: verdict, text and payload. Throws
/// Error, with the model's path in front where the model is at fault, and when told to stop.
void run_model(Invocation& invocation);

}  // namespace ortool
