// Task scope of the C interface: callbacks behind messages and progress.
#include "apps/c/task_scope.hpp"

#include <string>

#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "libcore/base/format.hpp"

namespace ortool::c {
namespace {

class CallbackMeter : public ProgressMeter {
 public:
  CallbackMeter(const ortool_task& task, std::string_view step) : task_(task), step_(step) {
    tell_done(0, 0);
  }
  void tell_done(std::int64_t done, std::int64_t total) override {
    task_.on_progress(task_.context, step_.c_str(), done, total);
  }

 private:
  ortool_task task_;
  std::string step_;
};

Messages::Listener listener_of(const ortool_task& task) {
  if (task.on_message == nullptr) return {};
  return [task](Verbosity kind, std::string_view text) {
    const ortool_message_kind passed = kind == Verbosity::error ? ORTOOL_ERROR : ORTOOL_WARNING;
    task.on_message(task.context, passed, std::string(text).c_str());
  };
}

}  // namespace

void check_timeout(double seconds) {
  constexpr double most = 1e8;
  if (seconds >= 0 && seconds <= most) return;
  throw Error(ErrorCode::invalid, format("a time limit of {} seconds", seconds),
              "give seconds from 0 (no limit) to 1e8")
      .with_id("usage.value");
}

TaskScope::TaskScope(const ortool_task* task)
    : task_(completed(task, "task")), messages_(listener_of(task_)) {
  check_timeout(task_.timeout);
  if (task_.timeout > 0) deadline_.emplace(stop(), task_.timeout);
}

StopToken& TaskScope::stop_of(const ortool_task& task) {
  return task.stop->token;
}

void TaskScope::limit(double seconds) {
  if (task_.timeout > 0 && task_.timeout <= seconds) return;
  deadline_.reset();
  deadline_.emplace(stop(), seconds);
}

StepFunction TaskScope::on_step() const {
  if (task_.on_progress == nullptr) return [](std::string_view) { return nullptr; };
  return [task = task_](std::string_view step) -> std::unique_ptr<ProgressMeter> {
    return std::make_unique<CallbackMeter>(task, step);
  };
}

void TaskScope::tell_notes(const Report& report) const {
  if (task_.on_message == nullptr) return;
  for (const std::string& note : report.notes())
    task_.on_message(task_.context, ORTOOL_NOTE, note.c_str());
}

}  // namespace ortool::c
