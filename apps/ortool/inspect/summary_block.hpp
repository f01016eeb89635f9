// JSON of a model's summary metrics.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/inspect/summary.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

Json summary_block(const Summary& summary);

/// At most `count`, the largest first.
std::vector<Weight> largest_weights(const Summary& summary, std::size_t count);

}  // namespace ortool
