// Signal watch: handlers that only set what is atomic, start a timer, or end the process.
#include "apps/ortool/signal_watch.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <unistd.h>
#include <utility>

#include "libcore/base/file/atomic_file.hpp"

namespace ortool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds signal_grace{800};
constexpr std::chrono::milliseconds timeout_grace{400};
/// timeout(1) and terminals with job control may deliver one interrupt twice.
constexpr std::chrono::milliseconds same_interrupt{100};

/// What the handlers use. Never destroyed, since a handler of another thread may still run.
struct WatchState {
  StopToken* token = nullptr;
  SignalTimer* timer = nullptr;
  std::function<void(ErrorCode)> leave;
  std::atomic<int> reason{0};               ///< an ErrorCode once a stop was requested
  std::atomic<Clock::rep> first_signal{0};  ///< as the clock's count, 0: none
  std::atomic<Clock::rep> next_step{0};     ///< when the timer is to expire
  std::atomic<bool> is_timed{true};         ///< the timer was started: the system had one left
  std::atomic_flag is_ending = ATOMIC_FLAG_INIT;

  void start_timer(Clock::duration time) {
    next_step.store((Clock::now() + time).time_since_epoch().count());
    is_timed.store(timer->start(time));
  }
  bool begin_stop(ErrorCode why) {
    int none = 0;
    if (!reason.compare_exchange_strong(none, static_cast<int>(why))) return false;
    token->request(why);
    return true;
  }
  void end_process(ErrorCode why) {
    if (is_ending.test_and_set()) return;
    remove_temporary_files();
    leave(why);
    _exit(static_cast<int>(why));
  }
};

WatchState& state() {
  static WatchState* const instance = new WatchState;
  return *instance;
}

void on_stop_signal(int signal) {
  const int number = errno;
  WatchState& watch = state();
  const auto now = Clock::now();
  if (watch.begin_stop(signal == SIGINT ? ErrorCode::interrupted : ErrorCode::terminated)) {
    watch.first_signal.store(now.time_since_epoch().count());
    watch.start_timer(signal_grace);
  } else if ((signal == SIGINT || !watch.is_timed.load()) &&
             now > Clock::time_point(Clock::duration(watch.first_signal.load())) + same_interrupt) {
    watch.end_process(signal == SIGINT ? ErrorCode::interrupted : ErrorCode::terminated);
  }
  errno = number;
}

void on_time_over() {
  WatchState& watch = state();
  // The timer was started again after this expiry.
  const auto left = Clock::time_point(Clock::duration(watch.next_step.load())) - Clock::now();
  if (left > Clock::duration::zero()) return;
  if (watch.begin_stop(ErrorCode::timeout)) {
    watch.start_timer(timeout_grace);
  } else {
    watch.end_process(static_cast<ErrorCode>(watch.reason.load()));
  }
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// A program started with nohup should outlive its terminal.
bool is_ignored(int signal) {
  struct sigaction current = {};
  return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch(StopToken& token, std::function<void(ErrorCode)> leave)
    : timer_(SignalTimer::Use::watch, on_time_over) {
  WatchState& watch = state();
  watch.token = &token;
  watch.timer = &timer_;
  watch.leave = std::move(leave);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  handle(SIGINT, on_stop_signal);
  handle(SIGTERM, on_stop_signal);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_stop_signal);
}

/// What arrives from here on comes too late to change how the program ends.
SignalWatch::~SignalWatch() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

void SignalWatch::set_time_limit(double seconds) {
  WatchState& watch = state();
  watch.start_timer(
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  // A signal that came before has its own time.
  if (watch.reason.load() != 0) watch.start_timer(signal_grace);
}

}  // namespace ortool
