// Task of a long call from Python: callbacks take the GIL, and their exceptions end the call.
#include "apps/python/native/python_task.hpp"

namespace ortool::python {

PythonTask::PythonTask(ortool_stop* stop, double timeout, PyObject* on_message,
                       PyObject* on_progress, PyObject* samples)
    : interrupt_(stop), on_message_(on_message), on_progress_(on_progress), samples_(samples) {
  task_.size = sizeof task_;
  task_.stop = interrupt_.stop();
  if (task_.stop == nullptr && ortool_stop_new(&own_stop_, nullptr) == ORTOOL_OK)
    task_.stop = own_stop_;
  task_.timeout = timeout;
  if (timeout > 0) interrupt_.discard();
  task_.context = this;
  if (on_message_ != Py_None) {
    task_.on_message = [](void* context, ortool_message_kind kind, const char* text) {
      auto* self = static_cast<PythonTask*>(context);
      const PyGILState_STATE state = PyGILState_Ensure();
      const char* const name = kind == ORTOOL_WARNING ? "warning"
                               : kind == ORTOOL_NOTE  ? "note"
                                                      : "error";
      self->call(self->on_message_, Py_BuildValue("(ss)", name, text));
      PyGILState_Release(state);
    };
  }
  if (on_progress_ != Py_None) {
    task_.on_progress = [](void* context, const char* step, int64_t done, int64_t total) {
      auto* self = static_cast<PythonTask*>(context);
      const PyGILState_STATE state = PyGILState_Ensure();
      self->call(self->on_progress_, Py_BuildValue("(sLL)", step, static_cast<long long>(done),
                                                   static_cast<long long>(total)));
      PyGILState_Release(state);
    };
  }
  if (samples_ != nullptr) {
    task_.next_sample = [](void* context, ortool_sample* sample) -> std::int32_t {
      const PyGILState_STATE state = PyGILState_Ensure();
      const int answer = static_cast<PythonTask*>(context)->next_sample(sample);
      PyGILState_Release(state);
      return answer;
    };
  }
}

PythonTask::~PythonTask() {
  ortool_stop_free(own_stop_);
  for (PyObject* object : raised_) Py_XDECREF(object);
}

void PythonTask::call(PyObject* callback, PyObject* arguments) {
  const Reference given(arguments);
  // After an exception nothing more is told.
  if (raised_[0] != nullptr) return;
  const Reference result(given ? PyObject_CallObject(callback, given.get()) : nullptr);
  if (result) return;
  keep_exception();
  if (task_.stop != nullptr) ortool_stop_request(task_.stop);
}

void PythonTask::keep_exception() {
  PyErr_Fetch(&raised_[0], &raised_[1], &raised_[2]);
  interrupt_.discard();
}

int PythonTask::next_sample(ortool_sample* sample) {
  if (raised_[0] != nullptr) return -1;
  const Reference inputs(PyIter_Next(samples_));
  if (!inputs && PyErr_Occurred() == nullptr) return 0;
  PyObject* name = nullptr;
  PyObject* object = nullptr;
  Py_ssize_t position = 0;
  if (inputs && PyDict_Check(inputs.get()) == 0)
    PyErr_SetString(PyExc_TypeError, "a sample is a dict of arrays by input name");
  while (PyErr_Occurred() == nullptr && PyDict_Next(inputs.get(), &position, &name, &object) != 0) {
    const Reference text(PyUnicode_AsUTF8String(name));
    // The Python side gives Values.
    const ortool_value* const value = text ? handle_of(object) : nullptr;
    ortool_error* error = nullptr;
    if (value != nullptr &&
        ortool_sample_add(sample, PyBytes_AsString(text.get()), value, &error) != ORTOOL_OK)
      raise(error);
  }
  if (PyErr_Occurred() == nullptr) return 1;
  keep_exception();
  return -1;
}

bool PythonTask::finish(ortool_status status, ortool_error* error) {
  if (raised_[0] != nullptr) {
    ortool_error_free(error);
    PyErr_Restore(raised_[0], raised_[1], raised_[2]);
    for (PyObject*& object : raised_) object = nullptr;
    return false;
  }
  return finish_call(interrupt_, status, error);
}

bool finish_call(InterruptScope& scope, ortool_status status, ortool_error* error) {
  if (status == ORTOOL_OK) return true;
  scope.discard();
  if (status == ORTOOL_INTERRUPTED && PyErr_CheckSignals() != 0) {
    ortool_error_free(error);
    return false;
  }
  raise(error);
  return false;
}

}  // namespace ortool::python
