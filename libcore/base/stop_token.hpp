// A request to stop, shared by the signal thread, time-outs and everything that works.
#pragma once

#include <atomic>
#include <chrono>

#include "libcore/base/error.hpp"

namespace ortool {

/// Holds at most one reason to stop; the first reason given stays. Safe from any thread and from
/// signal handlers.
class StopToken {
 public:
  /// Asks everything that polls this token to stop with `reason` (timeout, interrupted,
  /// terminated).
  void request(ErrorCode reason) noexcept {
    int none = 0;
    reason_.compare_exchange_strong(none, static_cast<int>(reason));
  }

  bool is_requested() const noexcept { return reason_.load(std::memory_order_relaxed) != 0; }

  /// Throws an Error with the reason when a stop was requested. Cheap enough for inner loops of
  /// some microseconds.
  void poll() const {
    if (is_requested()) throw_reason();
  }

 private:
  [[noreturn]] void throw_reason() const;

  std::atomic<int> reason_{0};
};

/// Requests a time-out on `token` once `seconds` have passed, unless destroyed before.
class Deadline {
 public:
  Deadline(StopToken& token, double seconds);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  struct State;
  State* state_;
};

}  // namespace ortool
