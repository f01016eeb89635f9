// The Python type Feedback: outputs that are inputs of the next run of a session, where they are,
// and inputs that are held.
#include <array>

#include "apps/python/native/name_list.hpp"
#include "apps/python/native/native.hpp"

namespace ortool::python {
namespace {

PyTypeObject* feedback_type = nullptr;

struct FeedbackObject {
  PyObject_HEAD ortool_feedback* handle;
  PyObject* session;  ///< converts values
  bool is_used;       ///< by a call, with or without the GIL
};

FeedbackObject* as_feedback(PyObject* object) {
  return reinterpret_cast<FeedbackObject*>(object);
}

bool check_is_free(PyObject* self) {
  if (!as_feedback(self)->is_used) return true;
  PyErr_SetString(PyExc_RuntimeError, "the feedback is in use: make one for each thread");
  return false;
}

bool read_list(PyObject* list, NameList& names) {
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    if (!names.add(PyList_GetItem(list, i))) return false;
  }
  return true;
}

/// Holds inputs at values that the first run is given (no outputs), or at those of the outputs.
bool hold_all(ortool_feedback* feedback, const NameList* outputs, const NameList& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ortool_error* error = nullptr;
    const char* const output = outputs != nullptr ? outputs->data()[i] : nullptr;
    if (ortool_feedback_hold(feedback, inputs.data()[i], output, &error) == ORTOOL_OK) continue;
    raise(error);
    return false;
  }
  return true;
}

/// open(session, outputs, inputs, held inputs, outputs to hold, inputs that hold them): lists, of
/// which the outputs have the length of their inputs.
PyObject* open_feedback(PyObject* self, PyObject* arguments) {
  PyObject* session = nullptr;
  PyObject* outputs = nullptr;
  PyObject* inputs = nullptr;
  PyObject* held = nullptr;
  PyObject* made = nullptr;
  PyObject* holding = nullptr;
  if (PyArg_ParseTuple(arguments, "OO!O!O!O!O!", &session, &PyList_Type, &outputs, &PyList_Type,
                       &inputs, &PyList_Type, &held, &PyList_Type, &made, &PyList_Type,
                       &holding) == 0)
    return nullptr;
  const ortool_session* const handle = session_handle(session);
  NameList output_names;
  NameList input_names;
  NameList held_names;
  NameList made_names;
  NameList holding_names;
  if (handle == nullptr || !read_list(outputs, output_names) || !read_list(inputs, input_names) ||
      !read_list(held, held_names) || !read_list(made, made_names) ||
      !read_list(holding, holding_names))
    return nullptr;
  if (output_names.size() != input_names.size() || made_names.size() != holding_names.size()) {
    PyErr_SetString(PyExc_ValueError, "there is not an input for each output");
    return nullptr;
  }
  if (!check_is_free(self)) return nullptr;
  ortool_feedback* opened = nullptr;
  ortool_error* error = nullptr;
  if (ortool_feedback_new(handle, output_names.data(), input_names.data(), output_names.size(),
                          &opened, &error) != ORTOOL_OK)
    return raise(error);
  if (!hold_all(opened, nullptr, held_names) || !hold_all(opened, &made_names, holding_names)) {
    ortool_feedback_free(opened);
    return nullptr;
  }
  std::swap(as_feedback(self)->handle, opened);
  ortool_feedback_free(opened);
  Reference before(as_feedback(self)->session);
  as_feedback(self)->session = Reference::borrowed(session).release();
  Py_RETURN_NONE;
}

void free_feedback(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ortool_feedback_free(as_feedback(self)->handle);
  Py_XDECREF(as_feedback(self)->session);
  const auto free_memory = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free_memory(self);
  Py_DECREF(type);
}

/// fetch(output) -> array
PyObject* fetch_output(PyObject* self, PyObject* arguments) {
  const char* output = nullptr;
  if (PyArg_ParseTuple(arguments, "s", &output) == 0) return nullptr;
  const FeedbackUse use(self);
  if (!use) return nullptr;
  ortool_value* value = nullptr;
  ortool_error* error = nullptr;
  ortool_status status = ORTOOL_OK;
  {
    const GilRelease released;
    status = ortool_feedback_fetch(use.handle(), output, &value, &error);
  }
  return status == ORTOOL_OK ? object_of(value) : raise(error);
}

/// A Value of the object, converted as run() does it.
Reference value_for(PyObject* object, PyObject* session, const char* input) {
  if (Py_TYPE(object) == value_type) return Reference::borrowed(object);
  if (ortool_value* const view = view_of(object)) return Reference(wrap_value(view));
  if (PyErr_Occurred() != nullptr) return {};
  const Reference name(PyUnicode_FromString(input));
  return Reference(name ? PyObject_CallFunctionObjArgs(python_functions.to_value, object, session,
                                                       name.get(), nullptr)
                        : nullptr);
}

/// set(input, value)
PyObject* set_input(PyObject* self, PyObject* arguments) {
  const char* input = nullptr;
  PyObject* object = nullptr;
  if (PyArg_ParseTuple(arguments, "sO", &input, &object) == 0) return nullptr;
  const FeedbackUse use(self);
  if (!use) return nullptr;
  const Reference value = value_for(object, as_feedback(self)->session, input);
  const ortool_value* const handle = value ? handle_of(value.get()) : nullptr;
  if (handle == nullptr) return nullptr;
  ortool_error* error = nullptr;
  ortool_status status = ORTOOL_OK;
  {
    const GilRelease released;
    status = ortool_feedback_set(use.handle(), input, handle, &error);
  }
  if (status != ORTOOL_OK) return raise(error);
  Py_RETURN_NONE;
}

bool check_is_feedback(PyObject* object) {
  if (PyObject_TypeCheck(object, feedback_type) != 0) return true;
  PyErr_SetString(PyExc_TypeError, "feedback is a Feedback or None");
  return false;
}

}  // namespace

FeedbackUse::FeedbackUse(PyObject* object) {
  if (object == Py_None) {
    is_valid_ = true;
    return;
  }
  if (!check_is_feedback(object) || !check_is_free(object)) return;
  if (as_feedback(object)->handle == nullptr) {
    PyErr_SetString(PyExc_RuntimeError,
                    "the feedback has not been created: call Feedback.__init__()");
    return;
  }
  as_feedback(object)->is_used = true;
  object_ = Reference::borrowed(object).release();
  is_valid_ = true;
}

FeedbackUse::~FeedbackUse() {
  if (object_ == nullptr) return;
  as_feedback(object_)->is_used = false;
  Py_DECREF(object_);
}

ortool_feedback* FeedbackUse::handle() const {
  return object_ != nullptr ? as_feedback(object_)->handle : nullptr;
}

bool add_feedback_type(PyObject* module) {
  static std::array<PyMethodDef, 4> methods = {{
      {"_open", &open_feedback, METH_VARARGS, nullptr},
      {"_fetch", &fetch_output, METH_VARARGS, nullptr},
      {"_set", &set_input, METH_VARARGS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  }};
  static std::array<PyType_Slot, 4> slots = {{
      {Py_tp_new, reinterpret_cast<void*>(&PyType_GenericNew)},
      {Py_tp_dealloc, reinterpret_cast<void*>(&free_feedback)},
      {Py_tp_methods, methods.data()},
      {0, nullptr},
  }};
  static PyType_Spec spec = {"ortool._native.Feedback", sizeof(FeedbackObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  PyObject* const type = PyType_FromSpec(&spec);
  feedback_type = reinterpret_cast<PyTypeObject*>(type);
  return type != nullptr && PyModule_AddObject(module, "Feedback", type) == 0;
}

}  // namespace ortool::python
