// Signal watch: turns signals and the time limit into stop requests, and ends the process when they
// are not followed.
#pragma once

#include <functional>

#include "apps/ortool/signal_timer.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

/// Handles SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE and SIGXFSZ (writes fail instead). The
/// first signal asks `token` to stop; if the process is still alive 0.8 s later (0.4 s after a time
/// limit), or at a second SIGINT, it removes temporary files, calls `leave(reason)` and ends the
/// process with the reason's exit code. All of this happens in signal handlers, so `leave` must be
/// async-signal-safe. One at a time per process.
class SignalWatch {
 public:
  SignalWatch(StopToken& token, std::function<void(ErrorCode)> leave);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Requests a stop with ErrorCode::timeout in `seconds` from now.
  void set_time_limit(double seconds);

 private:
  SignalTimer timer_;
};

}  // namespace ortool
