// The Python type Stop: a request to end the calls that got it.
#include <array>

#include "apps/python/native/native.hpp"

namespace ortool::python {
namespace {

PyTypeObject* stop_type = nullptr;

struct StopObject {
  PyObject_HEAD ortool_stop* handle;
};

PyObject* new_stop(PyTypeObject* type, PyObject* /*arguments*/, PyObject* /*keywords*/) {
  PyObject* const self = PyType_GenericAlloc(type, 0);
  if (self == nullptr) return nullptr;
  ortool_error* error = nullptr;
  if (ortool_stop_new(&reinterpret_cast<StopObject*>(self)->handle, &error) != ORTOOL_OK) {
    Py_DECREF(self);
    return raise(error);
  }
  return self;
}

void free_stop(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ortool_stop_free(reinterpret_cast<StopObject*>(self)->handle);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* request_stop(PyObject* self, PyObject* /*unused*/) {
  ortool_stop_request(reinterpret_cast<StopObject*>(self)->handle);
  Py_RETURN_NONE;
}

}  // namespace

bool read_stop(PyObject* object, ortool_stop** stop) {
  *stop = nullptr;
  if (object == Py_None) return true;
  if (Py_TYPE(object) != stop_type) {
    PyErr_SetString(PyExc_TypeError, "stop is not an ortool.Stop");
    return false;
  }
  *stop = reinterpret_cast<StopObject*>(object)->handle;
  return true;
}

bool add_stop_type(PyObject* module) {
  static std::array<PyMethodDef, 2> methods = {{
      {"request", &request_stop, METH_NOARGS,
       "Ends the calls that got this object, from any thread."},
      {nullptr, nullptr, 0, nullptr},
  }};
  static std::array<PyType_Slot, 5> slots = {{
      {Py_tp_new, reinterpret_cast<void*>(&new_stop)},
      {Py_tp_dealloc, reinterpret_cast<void*>(&free_stop)},
      {Py_tp_methods, methods.data()},
      {Py_tp_doc, const_cast<char*>("A request to stop, for one call: it cannot be taken back.")},
      {0, nullptr},
  }};
  static PyType_Spec spec = {"ortool.Stop", sizeof(StopObject), 0, Py_TPFLAGS_DEFAULT,
                             slots.data()};
  stop_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (stop_type == nullptr) return false;
  Py_INCREF(stop_type);
  return PyModule_AddObject(module, "Stop", reinterpret_cast<PyObject*>(stop_type)) == 0;
}

}  // namespace ortool::python
