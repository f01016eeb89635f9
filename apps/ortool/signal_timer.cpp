// Signal timers: POSIX timers on the monotonic clock that send SIGRTMIN with their use.
#include "apps/ortool/signal_timer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace ortool {
namespace {

/// By use. A signal of a timer that was deleted meanwhile may still arrive.
constinit std::array<std::atomic<void (*)()>, 2> functions{};

void on_timer_signal(int, siginfo_t* info, void*) {
  const int number = errno;
  const int use = info->si_value.sival_int;
  if (info->si_code == SI_TIMER && use >= 0 && use < static_cast<int>(functions.size())) {
    void (*const function)() = functions[static_cast<std::size_t>(use)].load();
    if (function != nullptr) function();
  }
  errno = number;
}

timespec to_timespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  timespec result = {};
  result.tv_sec = static_cast<std::time_t>(seconds.count());
  result.tv_nsec = static_cast<long>((time - seconds).count());
  return result;
}

}  // namespace

SignalTimer::SignalTimer(Use use, void (*on_expiry)()) : use_(use) {
  functions[static_cast<std::size_t>(use)].store(on_expiry);
  struct sigaction action = {};
  action.sa_sigaction = on_timer_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGRTMIN, &action, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  event.sigev_value.sival_int = static_cast<int>(use);
  timer_t timer = {};
  is_created_ = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  timer_ = timer;
}

SignalTimer::~SignalTimer() {
  if (is_created_) timer_delete(static_cast<timer_t>(timer_));
  functions[static_cast<std::size_t>(use_)].store(nullptr);
}

bool SignalTimer::start(std::chrono::nanoseconds first,
                        std::chrono::nanoseconds interval) noexcept {
  if (!is_created_) return false;
  itimerspec times = {};
  // A time of 0 would stop the timer.
  times.it_value = to_timespec(std::max(first, std::chrono::nanoseconds(1)));
  times.it_interval = to_timespec(interval);
  return timer_settime(static_cast<timer_t>(timer_), 0, &times, nullptr) == 0;
}

}  // namespace ortool
