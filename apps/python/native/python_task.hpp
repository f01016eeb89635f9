// Task of a long call from Python: stops, the time limit, and callbacks that may raise.
#pragma once

#include "apps/python/native/function_failure.hpp"
#include "apps/python/native/interrupt_scope.hpp"
#include "apps/python/native/native.hpp"

namespace ortool::python {

class PythonTask {
 public:
  /// `samples` is an iterator of dicts; null: none.
  PythonTask(ortool_stop* stop, double timeout, PyObject* on_message, PyObject* on_progress,
             PyObject* samples = nullptr);
  ~PythonTask();
  PythonTask(const PythonTask&) = delete;
  PythonTask& operator=(const PythonTask&) = delete;

  const ortool_task* raw() const { return &task_; }
  /// After the call, with the GIL held: whether it succeeded. Otherwise an exception is set: that
  /// of a callback, KeyboardInterrupt, or the error, which is freed.
  bool finish(ortool_status status, ortool_error* error);

 private:
  void call(PyObject* callback, PyObject* arguments);
  /// 1 for a sample, 0 when there are no more, negative after an exception, which is kept.
  int next_sample(ortool_sample* sample);
  void keep_exception();

  FailureScope failures_;
  InterruptScope interrupt_;
  ortool_stop* own_stop_ = nullptr;  ///< for exceptions of callbacks in other threads than main
  PyObject* on_message_;
  PyObject* on_progress_;
  PyObject* samples_;
  PyObject* raised_[3] = {};  ///< type, value, traceback
  ortool_task task_ = {};
};

/// After a call with an InterruptScope: as PythonTask::finish().
bool finish_call(InterruptScope& scope, ortool_status status, ortool_error* error);

}  // namespace ortool::python
