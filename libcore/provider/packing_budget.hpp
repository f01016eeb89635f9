// How many bytes of constants kernels may hold in memory from run to run; others are read anew.
#pragma once

#include <cstdint>

namespace ortool {

/// Handed out while kernels are compiled, which one thread does.
class PackingBudget {
 public:
  explicit PackingBudget(std::int64_t bytes) : left_bytes_(bytes) {}

  /// Whether a kernel may keep so many bytes, packed or read from a file; they are taken off then.
  /// Small ones always may.
  bool takes(std::int64_t bytes) {
    constexpr std::int64_t always_bytes = std::int64_t{64} << 10;
    if (bytes > always_bytes && bytes > left_bytes_) return false;
    left_bytes_ -= bytes;
    return true;
  }

 private:
  std::int64_t left_bytes_;
};

}  // namespace ortool
