// Task context: the memory limit, stop requests, warnings and progress of a long computation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

/// Displays the progress of one step; its destruction ends the step.
class ProgressMeter {
 public:
  virtual ~ProgressMeter() = default;
  /// `done` of `total` items are done. Called often, so it must be cheap.
  virtual void tell_done(std::int64_t done, std::int64_t total) = 0;
};

/// Called at the start of a step such as "calibrating"; may be empty, and may return null.
using StepFunction = std::function<std::unique_ptr<ProgressMeter>(std::string_view step)>;

/// What the caller passes to a long computation. The library prints nothing: all output goes
/// through the callbacks, which may be empty. The referenced objects must outlive the computation;
/// copies share them.
struct TaskContext {
  MemoryCap& memory;  ///< counts tensors and documents
  StopToken& stop;    ///< polled; when set, the computation throws the reason
  std::function<void(std::string_view text)> on_warning = {};  ///< what is unusual
  StepFunction on_step = {};
  /// What was assumed or done in the usual course, such as random inputs.
  std::function<void(std::string_view text)> on_note = {};

  void warn(std::string_view text) const {
    if (on_warning) on_warning(text);
  }
  void note(std::string_view text) const {
    if (on_note) on_note(text);
  }
};

/// One step of a task, from construction to destruction.
class Progress {
 public:
  Progress(const StepFunction& on_step, std::string_view step)
      : meter_(on_step ? on_step(step) : nullptr) {}
  Progress(const TaskContext& task, std::string_view step) : Progress(task.on_step, step) {}

  void tell_done(std::int64_t done, std::int64_t total) {
    done_ = done;
    total_ = total;
    if (meter_ != nullptr) meter_->tell_done(done, total);
  }
  /// `more` items are to be done than were known so far; negative: fewer.
  void expect(std::int64_t more) { tell_done(done_, total_ + more); }
  void finish(std::int64_t items = 1) { tell_done(done_ + items, total_); }

 private:
  std::unique_ptr<ProgressMeter> meter_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace ortool
