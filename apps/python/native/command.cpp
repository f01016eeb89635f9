// Commands of the Python module: a JSON request in, the JSON report out.
#include "apps/python/native/python_task.hpp"

namespace ortool::python {

/// command(name, request, stop, timeout, on_message, on_progress, samples or None) -> the report's
/// text
PyObject* call_command(PyObject* /*module*/, PyObject* arguments) {
  const char* name = nullptr;
  const char* request = nullptr;
  PyObject* stop_object = nullptr;
  PyObject* on_message = nullptr;
  PyObject* on_progress = nullptr;
  PyObject* samples = nullptr;
  double timeout = 0;
  if (PyArg_ParseTuple(arguments, "ssOdOOO", &name, &request, &stop_object, &timeout, &on_message,
                       &on_progress, &samples) == 0)
    return nullptr;
  ortool_stop* stop = nullptr;
  if (!read_stop(stop_object, &stop)) return nullptr;
  PythonTask task(stop, timeout, on_message, on_progress, samples != Py_None ? samples : nullptr);
  char* report = nullptr;
  ortool_error* error = nullptr;
  ortool_status status = ORTOOL_OK;
  {
    const GilRelease released;
    status = ortool_command(name, request, task.raw(), &report, &error);
  }
  PyObject* text = nullptr;
  if (task.finish(status, error)) text = PyUnicode_FromString(report);
  ortool_text_free(report);
  return text;
}

}  // namespace ortool::python
