// Task scope of the C interface: stop requests, the time limit, messages and progress of a call.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/c/ortool/ortool.h"
#include "apps/ortool/report/messages.hpp"
#include "apps/ortool/report/report.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/base/task_context.hpp"

namespace ortool::c {

class TaskScope {
 public:
  /// `task` may be null. Throws ErrorCode::invalid for a struct without a size.
  explicit TaskScope(const ortool_task* task);

  StopToken& stop() { return task_.stop != nullptr ? stop_of(task_) : own_stop_; }
  /// Stops in `seconds` from now, if that is before the task's own limit.
  void limit(double seconds);
  Messages& messages() { return messages_; }
  StepFunction on_step() const;
  bool gives_samples() const { return task_.next_sample != nullptr; }
  /// Asks the caller for the next sample; 0: there are no more. Negative: the caller gave up.
  std::int32_t ask_for_sample(ortool_sample& sample) const {
    return task_.next_sample(task_.context, &sample);
  }
  /// Passes the report's notes on.
  void tell_notes(const Report& report) const;

 private:
  static StopToken& stop_of(const ortool_task& task);

  ortool_task task_;
  StopToken own_stop_;
  Messages messages_;
  std::optional<Deadline> deadline_;
};

/// Refuses times that are negative or no numbers.
void check_timeout(double seconds);

}  // namespace ortool::c
