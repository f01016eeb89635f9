// --threads, --execution, --optimize and --precision.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

OptionGroup execution_options();

/// The threads to compute with: as given, else all this process may use.
int thread_count(const OptionValues& options);

/// Throws ErrorCode::unsupported for values that are planned.
void check_execution_options(const OptionValues& options);

}  // namespace ortool
