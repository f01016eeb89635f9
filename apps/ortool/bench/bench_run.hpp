// ortool bench, from its options to its report.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

void run_bench(Invocation& invocation);

}  // namespace ortool
