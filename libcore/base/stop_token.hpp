// StopToken: a cooperative stop request, set by signals or time-outs and polled by all work.
#pragma once

#include <atomic>
#include <chrono>

#include "libcore/base/error.hpp"

namespace ortool {

/// Holds at most one reason to stop; the first one is kept. Thread-safe and async-signal-safe.
class StopToken {
 public:
  /// Requests all users of this token to stop with `reason` (timeout, interrupted, terminated).
  void request(ErrorCode reason) noexcept {
    int none = 0;
    reason_.compare_exchange_strong(none, static_cast<int>(reason));
  }

  bool is_requested() const noexcept { return reason_.load(std::memory_order_relaxed) != 0; }

  /// Throws an Error with the reason if a stop was requested. Cheap enough for loop bodies of a few
  /// microseconds.
  void poll() const {
    if (is_requested()) throw_reason();
  }

 private:
  [[noreturn]] void throw_reason() const;

  std::atomic<int> reason_{0};
};

/// Requests a time-out on `token` after `seconds`, unless it is destroyed before.
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
