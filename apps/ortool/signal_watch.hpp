// Signal thread: turns signals and the time limit into stop requests, and ends the process when
// they are not followed.
#pragma once

#include <functional>
#include <memory>

#include "libcore/base/stop_token.hpp"

namespace ortool {

/// Blocks SIGINT, SIGTERM and SIGHUP for this thread and those it starts, ignores SIGPIPE and
/// SIGXFSZ (writes fail instead), and waits for the former in its own thread. The first signal
/// asks `token` to stop; if the process is still alive 0.8 s later (0.4 s after a time limit), or
/// at a second SIGINT, it calls `leave(reason)` in that thread, removes temporary files and ends
/// the process with the reason's exit code. If no thread can be created, signals keep their default
/// action. One at a time per process; must be created before other threads.
class SignalWatch {
 public:
  SignalWatch(StopToken& token, std::function<void(ErrorCode)> leave);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Requests a stop with ErrorCode::timeout in `seconds` from now.
  void set_time_limit(double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ortool
