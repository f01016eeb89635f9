// The Python type Profile: the times of a run, kernel by kernel.
#include <array>

#include "apps/python/native/native.hpp"

namespace ortool::python {
namespace {

PyTypeObject* profile_type = nullptr;

struct ProfileObject {
  PyObject_HEAD ortool_profile* handle;
};

ortool_profile* profile_of(PyObject* self) {
  return reinterpret_cast<ProfileObject*>(self)->handle;
}

PyObject* new_profile(PyTypeObject* type, PyObject* /*arguments*/, PyObject* /*keywords*/) {
  PyObject* const self = PyType_GenericAlloc(type, 0);
  if (self == nullptr) return nullptr;
  ortool_error* error = nullptr;
  if (ortool_profile_new(&reinterpret_cast<ProfileObject*>(self)->handle, &error) != ORTOOL_OK) {
    Py_DECREF(self);
    return raise(error);
  }
  return self;
}

void free_profile(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ortool_profile_free(profile_of(self));
  const auto free_memory = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free_memory(self);
  Py_DECREF(type);
}

/// A list of (node, op_type, provider, kernel, depth, start_ns, duration_ns).
PyObject* list_events(PyObject* self, PyObject* /*unused*/) {
  std::size_t count = 0;
  const ortool_profile_event* const* const events = ortool_profile_events(profile_of(self), &count);
  Reference list(PyList_New(0));
  for (std::size_t i = 0; list && i < count; ++i) {
    const ortool_profile_event& event = *events[i];
    const Reference row(Py_BuildValue("(ssssiLL)", event.node, event.op_type, event.provider,
                                      event.kernel, static_cast<int>(event.depth),
                                      static_cast<long long>(event.start_ns),
                                      static_cast<long long>(event.duration_ns)));
    if (!row || PyList_Append(list.get(), row.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* get_total(PyObject* self, void* /*unused*/) {
  return PyLong_FromLongLong(ortool_profile_total_ns(profile_of(self)));
}

PyObject* write_trace(PyObject* self, PyObject* /*unused*/) {
  char* text = nullptr;
  ortool_error* error = nullptr;
  if (ortool_profile_trace(profile_of(self), &text, &error) != ORTOOL_OK) return raise(error);
  PyObject* const string = PyUnicode_FromString(text);
  ortool_text_free(text);
  return string;
}

}  // namespace

bool read_profile(PyObject* object, ortool_profile** profile) {
  *profile = nullptr;
  if (object == Py_None) return true;
  if (PyObject_IsInstance(object, reinterpret_cast<PyObject*>(profile_type)) != 1) {
    if (PyErr_Occurred() == nullptr)
      PyErr_SetString(PyExc_TypeError, "profile is not an ortool.Profile");
    return false;
  }
  *profile = profile_of(object);
  return true;
}

bool add_profile_type(PyObject* module) {
  static std::array<PyMethodDef, 3> methods = {{
      {"_events", &list_events, METH_NOARGS, nullptr},
      {"_trace", &write_trace, METH_NOARGS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  }};
  static std::array<PyGetSetDef, 2> attributes = {{
      {"total_ns", &get_total, nullptr, "The time of the whole run, in nanoseconds.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  }};
  static std::array<PyType_Slot, 5> slots = {{
      {Py_tp_new, reinterpret_cast<void*>(&new_profile)},
      {Py_tp_dealloc, reinterpret_cast<void*>(&free_profile)},
      {Py_tp_methods, methods.data()},
      {Py_tp_getset, attributes.data()},
      {0, nullptr},
  }};
  static PyType_Spec spec = {"ortool._native.Profile", sizeof(ProfileObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  profile_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (profile_type == nullptr) return false;
  Py_INCREF(profile_type);
  return PyModule_AddObject(module, "Profile", reinterpret_cast<PyObject*>(profile_type)) == 0;
}

}  // namespace ortool::python
