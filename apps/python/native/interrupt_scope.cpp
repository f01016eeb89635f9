// Interrupt scope of the Python module: the handler of SIGINT during a call, and its stops.
#include "apps/python/native/interrupt_scope.hpp"

#include <atomic>
#include <signal.h>
#include <unistd.h>

#include <sys/syscall.h>

namespace ortool::python {
namespace {

std::atomic<ortool_stop*> target{nullptr};
std::atomic<unsigned> signal_count{0};
struct sigaction previous = {};
/// A stop that no call uses; making one costs more than a run of a small model should.
ortool_stop* spare = nullptr;

void on_signal(int number, siginfo_t* info, void* context) {
  // Counted before the stop is read: see ~InterruptScope().
  signal_count.fetch_add(1);
  if (ortool_stop* const stop = target.load()) ortool_stop_request(stop);
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  }
}

bool is_main_thread() {
  static thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

/// Whether SIGINT has a handler, which now is called by ours.
bool install_handler() {
  struct sigaction ours = {};
  ours.sa_sigaction = &on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaction(SIGINT, &ours, &previous) != 0) return false;
  const bool has_handler = (previous.sa_flags & SA_SIGINFO) != 0 ||
                           (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
  if (!has_handler) sigaction(SIGINT, &previous, nullptr);
  return has_handler;
}

}  // namespace

InterruptScope::InterruptScope(ortool_stop* given) : stop_(given), is_main_(is_main_thread()) {
  if (!is_main_) return;
  if (stop_ == nullptr) {
    stop_ = spare;
    spare = nullptr;
    if (stop_ == nullptr) ortool_stop_new(&stop_, nullptr);
    is_own_ = stop_ != nullptr;
  }
  signals_before_ = signal_count.load();
  outer_ = target.exchange(stop_);
  // A callback of a call may begin another.
  if (outer_ == nullptr) is_installed_ = install_handler();
}

InterruptScope::~InterruptScope() {
  if (!is_main_) return;
  if (is_installed_) sigaction(SIGINT, &previous, nullptr);
  target.store(outer_);
  if (!is_own_) return;
  // A handler that runs in another thread may still hold the stop, which therefore is never freed.
  if (signal_count.load() != signals_before_) return;
  if (is_used_up_ || spare != nullptr) {
    ortool_stop_free(stop_);
  } else {
    spare = stop_;
  }
}

}  // namespace ortool::python
