// Device clocks: how fast a device runs at one moment, and what keeps it from running faster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ortool {

/// In MHz; 0: not known.
struct DeviceClocks {
  std::int64_t clock_mhz = 0;  ///< of what computes
  std::int64_t max_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::int64_t max_memory_clock_mhz = 0;
  std::optional<std::int64_t> temperature_c;
  /// In words, such as "power limit"; nothing: not known.
  std::optional<std::vector<std::string>> throttled_by;
};

}  // namespace ortool
