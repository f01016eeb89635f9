// Throttle reasons: what keeps a GPU's clocks low, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ortool::cuda {

/// `bits` are NVML's reasons for clock events. A GPU that is idle is not throttled.
std::vector<std::string> throttle_reasons(std::uint64_t bits);

}  // namespace ortool::cuda
