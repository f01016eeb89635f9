// Packing budget: the limit on constants that kernels keep packed; others are packed in each run.
#pragma once

#include <cstdint>

namespace ortool {

/// Spent while kernels are compiled, which a single thread does.
class PackingBudget {
 public:
  explicit PackingBudget(std::int64_t bytes) : left_bytes_(bytes) {}

  /// Whether a kernel may keep this many bytes, packed or read from a file; if so, deducts them.
  /// Small constants are always allowed.
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
