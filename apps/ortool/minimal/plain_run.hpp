// Plain run: a model from its inputs to its outputs, as minimal builds have it.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// run_model() of a build with inputs, outputs, execution options and --iterations only: no data
/// sets, references, comparisons, decoders or dumps. The report is the same.
void run_plain(Invocation& invocation);

}  // namespace ortool
