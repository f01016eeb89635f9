// A model's figures as JSON.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/ortool/report/json.hpp"
#include "libcore/inspect/summary.hpp"

namespace ortool {

Json summary_block(const Summary& summary);

/// At most `count`, the largest first.
std::vector<Weight> largest_weights(const Summary& summary, std::size_t count);

}  // namespace ortool
