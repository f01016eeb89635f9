// Signal timers: functions that run in a signal handler after some time, without a thread.
#pragma once

#include <chrono>

namespace ortool {

/// A timer of the kernel (timer_create). `on_expiry` runs in a handler of SIGRTMIN, mostly in the
/// main thread, and must be async-signal-safe. There is one timer for each use at a time.
class SignalTimer {
 public:
  enum class Use { watch, progress };

  SignalTimer(Use use, void (*on_expiry)());
  ~SignalTimer();
  SignalTimer(const SignalTimer&) = delete;
  SignalTimer& operator=(const SignalTimer&) = delete;

  /// Expires in `first`, and then each `interval` unless that is 0; replaces what was started
  /// before. Async-signal-safe. False if the system has no timer left.
  bool start(std::chrono::nanoseconds first,
             std::chrono::nanoseconds interval = std::chrono::nanoseconds(0)) noexcept;

 private:
  Use use_;
  bool is_created_ = false;
  void* timer_ = nullptr;  ///< a timer_t
};

}  // namespace ortool
