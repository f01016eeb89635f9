// A model's figures as JSON.
#pragma once

#include "apps/ortool/report/json.hpp"
#include "libcore/inspect/summary.hpp"

namespace ortool {

Json summary_block(const Summary& summary);

}  // namespace ortool
