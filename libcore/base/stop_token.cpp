// Conversion of a stop request to an error, and the thread that enforces a deadline.
#include "libcore/base/stop_token.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"

namespace ortool {

void StopToken::throw_reason() const {
  switch (static_cast<ErrorCode>(reason_.load())) {
    case ErrorCode::timeout:
      throw Error(ErrorCode::timeout, "stopped: the time limit was reached",
                  format("raise {}, or give fewer inputs", setting_name("timeout")));
    case ErrorCode::terminated:
      throw Error(ErrorCode::terminated, "terminated by a signal");
    default:
      throw Error(ErrorCode::interrupted, "interrupted");
  }
}

struct Deadline::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread thread;
};

Deadline::Deadline(StopToken& token, double seconds) : state_(new State) {
  const auto limit = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(seconds));
  state_->thread = std::thread([state = state_, &token, limit] {
    std::unique_lock lock(state->mutex);
    if (!state->changed.wait_until(lock, limit, [state] { return state->done; })) {
      token.request(ErrorCode::timeout);
    }
  });
}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
  delete state_;
}

}  // namespace ortool
