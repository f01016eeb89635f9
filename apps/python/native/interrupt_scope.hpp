// Interrupt scope of the Python module: Ctrl-C stops the call of the main thread.
#pragma once

#include "apps/c/ortool/ortool.h"

namespace ortool::python {

/// As long as it lives, SIGINT requests the stop and then calls Python's handler, which raises
/// KeyboardInterrupt once the call has returned. Only in the main thread, as Python's signals.
/// Created and destroyed with the GIL held.
class InterruptScope {
 public:
  /// `given` is the caller's own stop; null: one of the scope's.
  explicit InterruptScope(ortool_stop* given);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// Null if the caller gave none and signals do not reach this thread.
  ortool_stop* stop() const { return stop_; }

  /// A time-out uses up a stop.
  void discard() { is_used_up_ = true; }

 private:
  ortool_stop* stop_ = nullptr;
  ortool_stop* outer_ = nullptr;
  unsigned signals_before_ = 0;
  bool is_own_ = false;
  bool is_installed_ = false;
  bool is_main_ = false;
  bool is_used_up_ = false;
};

}  // namespace ortool::python
