// MemoryCap: a limit on the memory of tensors, checked before every allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace ortool {

/// Counts bytes against a limit. Thread-safe.
class MemoryCap {
 public:
  /// `limit_bytes` of 0 means no limit.
  explicit MemoryCap(std::int64_t limit_bytes = 0) : limit_bytes_(limit_bytes) {}

  /// Reserves `bytes`, or throws ErrorCode::memory_limit naming `purpose` and reserves nothing.
  void take(std::int64_t bytes, std::string_view purpose);
  void give_back(std::int64_t bytes) noexcept { used_bytes_.fetch_sub(bytes); }

  std::int64_t limit_bytes() const { return limit_bytes_; }
  std::int64_t used_bytes() const { return used_bytes_.load(); }
  std::int64_t peak_bytes() const { return peak_bytes_.load(); }

 private:
  std::int64_t limit_bytes_;
  std::atomic<std::int64_t> used_bytes_{0};
  std::atomic<std::int64_t> peak_bytes_{0};
};

/// A reservation of bytes for the lifetime of this object.
class MemoryReservation {
 public:
  /// Reserves as MemoryCap::take(); `cap` may be null and must outlive this object.
  MemoryReservation(MemoryCap* cap, std::int64_t bytes, std::string_view purpose)
      : cap_(cap), bytes_(bytes) {
    if (cap_ != nullptr) cap_->take(bytes_, purpose);
  }
  ~MemoryReservation() {
    if (cap_ != nullptr) cap_->give_back(bytes_);
  }
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;

  std::int64_t bytes() const { return bytes_; }

 private:
  MemoryCap* cap_;
  std::int64_t bytes_;
};

/// The memory of the machine or the limit of its control group, in bytes.
std::int64_t machine_memory_bytes();

}  // namespace ortool
