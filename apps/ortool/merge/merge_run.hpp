// Runs merge: joins the parts that shards wrote.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

void run_merge(Invocation& invocation);

}  // namespace ortool
