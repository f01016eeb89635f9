// Signal thread: sigtimedwait in a loop, without handlers or anything unsafe in them.
#include "apps/ortool/signal_watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "libcore/base/file/atomic_file.hpp"

namespace ortool {

using Clock = std::chrono::steady_clock;

struct SignalWatch::State {
  StopToken& token;
  std::function<void(ErrorCode)> leave;
  sigset_t waited;
  std::atomic<bool> is_over{false};
  std::atomic<Clock::rep> time_limit{0};  ///< as the clock's count, 0: none
  std::thread thread;

  void watch();
  [[noreturn]] void end_process(ErrorCode reason);
};

namespace {

/// Wakes the thread so that it notices changes.
constexpr int wake_signal = SIGUSR1;
constexpr std::chrono::milliseconds signal_grace{800};
constexpr std::chrono::milliseconds timeout_grace{400};
/// timeout(1) and terminals with job control may deliver one interrupt twice.
constexpr std::chrono::milliseconds same_interrupt{100};

/// The signal received, or 0 if none arrived before `until`.
int wait_for_signal(const sigset_t& signals, std::optional<Clock::time_point> until) {
  siginfo_t info;
  if (!until) {
    const int signal = sigwaitinfo(&signals, &info);
    return std::max(signal, 0);
  }
  const auto left = std::max(*until - Clock::now(), Clock::duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  timespec wait = {};
  wait.tv_sec = static_cast<std::time_t>(seconds.count());
  wait.tv_nsec = static_cast<long>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(left - seconds).count());
  return std::max(sigtimedwait(&signals, &info, &wait), 0);
}

}  // namespace

void SignalWatch::State::end_process(ErrorCode reason) {
  remove_temporary_files();
  leave(reason);
  _exit(static_cast<int>(reason));
}

void SignalWatch::State::watch() {
  std::optional<Clock::time_point> leave_at;
  Clock::time_point first_signal_at{};
  ErrorCode reason = ErrorCode::interrupted;
  for (;;) {
    std::optional<Clock::time_point> until = leave_at;
    const Clock::rep limit = time_limit.load();
    if (!leave_at && limit != 0) until = Clock::time_point(Clock::duration(limit));
    const int signal = wait_for_signal(waited, until);
    if (is_over.load()) return;
    if (signal == SIGINT && leave_at && Clock::now() > first_signal_at + same_interrupt) {
      end_process(ErrorCode::interrupted);
    }
    if (!leave_at && signal != 0 && signal != wake_signal) {
      reason = signal == SIGINT ? ErrorCode::interrupted : ErrorCode::terminated;
      token.request(reason);
      first_signal_at = Clock::now();
      leave_at = first_signal_at + signal_grace;
    } else if (until && Clock::now() >= *until) {
      if (leave_at) end_process(reason);
      reason = ErrorCode::timeout;
      token.request(reason);
      leave_at = Clock::now() + timeout_grace;
    }
  }
}

SignalWatch::SignalWatch(StopToken& token, std::function<void(ErrorCode)> leave)
    : state_(new State{token, std::move(leave), {}, {}, {}, {}}) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigemptyset(&state_->waited);
  for (const int signal : {SIGINT, SIGTERM, wake_signal}) sigaddset(&state_->waited, signal);
  // A program started with nohup should outlive its terminal.
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
    sigaddset(&state_->waited, SIGHUP);
  }
  pthread_sigmask(SIG_BLOCK, &state_->waited, nullptr);
  try {
    state_->thread = std::thread([state = state_.get()] { state->watch(); });
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_UNBLOCK, &state_->waited, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!state_->thread.joinable()) return;
  state_->is_over.store(true);
  pthread_kill(state_->thread.native_handle(), wake_signal);
  state_->thread.join();
}

void SignalWatch::set_time_limit(double seconds) {
  const auto limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  state_->time_limit.store(limit.time_since_epoch().count());
  if (state_->thread.joinable()) pthread_kill(state_->thread.native_handle(), wake_signal);
}

}  // namespace ortool
