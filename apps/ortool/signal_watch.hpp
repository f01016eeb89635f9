// The thread that turns signals and the time limit into stop requests, and leaves when nobody
// listens.
#pragma once

#include <functional>
#include <memory>

#include "libcore/base/stop_token.hpp"

namespace ortool {

/// Blocks SIGINT, SIGTERM and SIGHUP for this thread and those it starts, ignores SIGPIPE and
/// SIGXFSZ (writes fail instead), and waits for the former in a thread of its own. The first signal
/// asks `token` to stop; when the process still lives 0.8 s later (0.4 s after a time limit), or at
/// a second SIGINT, it calls `leave(reason)` in that thread, removes temporary files and ends the
/// process with the reason's exit code. Without a thread to be had, signals keep their default
/// action. One at a time in a process; must be made before other threads.
class SignalWatch {
 public:
  SignalWatch(StopToken& token, std::function<void(ErrorCode)> leave);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Asks for a stop with ErrorCode::timeout once `seconds` have passed from now.
  void set_time_limit(double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ortool
