// Results that a loop accumulates over its iterations.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Lists of values, one per output. Small tensors take far more memory than their elements: the
/// overhead is counted too.
class KeptResults {
 public:
  KeptResults(std::size_t outputs, MemoryCap* cap) : lists_(outputs), cap_(cap) {}

  void add(std::size_t output, RunValue value) {
    if (count_++ % values_at_once == 0) {
      taken_.push_back(std::make_unique<const MemoryReservation>(cap_, values_at_once * value_bytes,
                                                                 "the state of a loop"));
    }
    lists_[output].push_back(std::move(value));
  }
  std::size_t size() const { return lists_.size(); }
  const std::vector<RunValue>& operator[](std::size_t output) const { return lists_[output]; }

 private:
  static constexpr std::int64_t values_at_once = 256;
  /// For the value, its shape, its buffer and the allocator's overhead.
  static constexpr std::int64_t value_bytes = 512;

  std::vector<std::vector<RunValue>> lists_;
  MemoryCap* cap_;
  std::vector<std::unique_ptr<const MemoryReservation>> taken_;
  std::int64_t count_ = 0;
};

}  // namespace ortool
