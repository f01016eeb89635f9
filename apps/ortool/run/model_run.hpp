// Runs a model with the options of `ortool run`.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// Loads the model, runs it or its tests, and fills the report: verdict, text and payload. Throws
/// Error, prefixed with the model's path if the model is at fault, and on a stop request.
void run_model(Invocation& invocation);

}  // namespace ortool
