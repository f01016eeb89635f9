// `ortool quantize`, from the file that is read to the one that is written.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// Prepares, plans, calibrates, writes and judges, each told in the report. Throws what goes wrong,
/// with nothing written then.
void run_quantize(Invocation& invocation);

}  // namespace ortool
