// The Python module ortool._native: types, commands and custom operators over the C interface.
#include <array>

#include "apps/python/native/function_failure.hpp"
#include "apps/python/native/native.hpp"

namespace ortool::python {

PythonFunctions python_functions;

PyObject* raise(ortool_error* error) {
  if (error == nullptr) return PyErr_NoMemory();
  Reference cause(
      take_failure(ortool_error_message(error), ortool_error_status(error) == ORTOOL_INTERRUPTED));
  if (cause && PyObject_IsInstance(cause.get(), PyExc_Exception) == 0) {
    ortool_error_free(error);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(cause.get())), cause.get());
    return nullptr;
  }
  const Reference exception(PyObject_CallFunction(
      python_functions.error_type, "issss", static_cast<int>(ortool_error_status(error)),
      ortool_error_message(error), ortool_error_hint(error), ortool_error_id(error),
      ortool_error_node(error)));
  ortool_error_free(error);
  if (exception && cause) PyException_SetCause(exception.get(), cause.release());
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  return nullptr;
}

namespace {

/// set_functions(error_type, to_value, from_value, asarray)
PyObject* set_functions(PyObject* /*module*/, PyObject* arguments) {
  if (PyArg_ParseTuple(arguments, "OOOO", &python_functions.error_type, &python_functions.to_value,
                       &python_functions.from_value, &python_functions.asarray) == 0)
    return nullptr;
  for (PyObject* function : {python_functions.error_type, python_functions.to_value,
                             python_functions.from_value, python_functions.asarray})
    Py_INCREF(function);
  Py_RETURN_NONE;
}

PyObject* get_version(PyObject* /*module*/, PyObject* /*unused*/) {
  return PyUnicode_FromString(ortool_version());
}

PyObject* get_abi_version(PyObject* /*module*/, PyObject* /*unused*/) {
  return PyLong_FromLong(ortool_abi_version());
}

using RegisterFunction = ortool_status (*)(const char*, ortool_error**);

template <RegisterFunction function>
PyObject* call_register(PyObject* /*module*/, PyObject* arguments) {
  const char* text = nullptr;
  if (PyArg_ParseTuple(arguments, "s", &text) == 0) return nullptr;
  ortool_error* error = nullptr;
  ortool_status status = ORTOOL_OK;
  {
    const GilRelease released;
    status = function(text, &error);
  }
  if (status != ORTOOL_OK) return raise(error);
  Py_RETURN_NONE;
}

}  // namespace
}  // namespace ortool::python

using namespace ortool::python;  // NOLINT(google-build-using-namespace)

PyMODINIT_FUNC PyInit__native() {
  static std::array<PyMethodDef, 10> functions = {{
      {"set_functions", &set_functions, METH_VARARGS, nullptr},
      {"version", &get_version, METH_NOARGS, "The release of the library."},
      {"abi_version", &get_abi_version, METH_NOARGS, "The version of its C interface."},
      {"command", &call_command, METH_VARARGS, "Runs a command of the program: JSON in and out."},
      {"register_operators", &call_register<&ortool_register_operators>, METH_VARARGS, nullptr},
      {"define_operators", &call_register<&ortool_define_operators>, METH_VARARGS, nullptr},
      {"add_operators", &add_operators, METH_VARARGS, nullptr},
      {"remove_operator", &remove_operator, METH_VARARGS, nullptr},
      {"infer_value", &infer_value, METH_VARARGS, "The known value of an operand, in infer()."},
      {nullptr, nullptr, 0, nullptr},
  }};
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "ortool._native",
                                   "The C interface of ortool, for the Python package.",
                                   -1,
                                   functions.data(),
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  if (ortool_abi_version() < ORTOOL_ABI_VERSION) {
    PyErr_Format(PyExc_ImportError,
                 "libortool_c.so has version %d of the C interface, %d is needed",
                 static_cast<int>(ortool_abi_version()), ORTOOL_ABI_VERSION);
    return nullptr;
  }
  PyObject* const module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  if (add_value_type(module) && add_stop_type(module) && add_profile_type(module) &&
      add_feedback_type(module) && add_session_type(module))
    return module;
  Py_DECREF(module);
  return nullptr;
}
