// Runs quantize, from the file read to the file written.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// Prepares, plans, calibrates, writes and evaluates, with each step in the report. Throws on
/// failure, without writing anything.
void run_quantize(Invocation& invocation);

}  // namespace ortool
