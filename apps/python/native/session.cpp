// The Python type Session of the module: makes a session, describes it, and runs it.
#include <array>
#include <vector>

#include "apps/python/native/name_list.hpp"
#include "apps/python/native/python_task.hpp"

namespace ortool::python {
namespace {

PyTypeObject* session_type = nullptr;

struct SessionObject {
  PyObject_HEAD ortool_session* handle;
};

ortool_session* session_of(PyObject* self) {
  return reinterpret_cast<SessionObject*>(self)->handle;
}

/// Called by any thread, when the last session and value of the model are freed.
void release_bytes(void* bytes) {
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(bytes));
  PyGILState_Release(state);
}

ortool_status load_model(PyObject* source, const char* path, const char* folder,
                         ortool_model** model, ortool_error** error) {
  if (path != nullptr) {
    const GilRelease released;
    return ortool_model_load(path, model, error);
  }
  const char* const bytes = PyBytes_AsString(source);
  const auto size = static_cast<std::size_t>(PyBytes_Size(source));
  Py_INCREF(source);
  const GilRelease released;
  return ortool_model_load_memory(bytes, size, folder, &release_bytes, source, model, error);
}

/// open(source, is_path, folder, options, stop, timeout, on_message, on_progress): `source` is a
/// bytes object, a path in the file system's encoding or a model.
PyObject* open_session(PyObject* self, PyObject* arguments) {
  PyObject* source = nullptr;
  PyObject* stop_object = nullptr;
  PyObject* on_message = nullptr;
  PyObject* on_progress = nullptr;
  const char* folder = nullptr;
  const char* options = nullptr;
  int is_path = 0;
  double timeout = 0;
  if (PyArg_ParseTuple(arguments, "SpzsOdOO", &source, &is_path, &folder, &options, &stop_object,
                       &timeout, &on_message, &on_progress) == 0)
    return nullptr;
  ortool_stop* stop = nullptr;
  if (!read_stop(stop_object, &stop)) return nullptr;
  ortool_model* model = nullptr;
  ortool_error* error = nullptr;
  const char* const path = is_path != 0 ? PyBytes_AsString(source) : nullptr;
  if (load_model(source, path, folder, &model, &error) != ORTOOL_OK) return raise(error);
  PythonTask task(stop, timeout, on_message, on_progress);
  ortool_status status = ORTOOL_OK;
  ortool_session* handle = nullptr;
  {
    const GilRelease released;
    status = ortool_session_new(model, options, task.raw(), &handle, &error);
    ortool_model_free(model);
  }
  if (!task.finish(status, error)) {
    ortool_session_free(handle);
    return nullptr;
  }
  std::swap(reinterpret_cast<SessionObject*>(self)->handle, handle);
  ortool_session_free(handle);
  Py_RETURN_NONE;
}

void free_session(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ortool_session_free(session_of(self));
  const auto free_memory = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free_memory(self);
  Py_DECREF(type);
}

bool check_is_open(PyObject* self) {
  if (session_of(self) != nullptr) return true;
  PyErr_SetString(PyExc_RuntimeError, "the session has not been created: call Session.__init__()");
  return false;
}

/// (name, type's text, kind, element type, is_optional, shape or None), with symbols in the shape.
PyObject* describe(const ortool_value_info& info) {
  Reference shape = Reference::borrowed(Py_None);
  if (info.rank >= 0) shape = Reference(PyTuple_New(info.rank));
  for (int axis = 0; shape && axis < info.rank; ++axis) {
    const bool is_number = info.shape[axis] >= 0;
    PyObject* const size = is_number ? PyLong_FromLongLong(info.shape[axis])
                                     : PyUnicode_FromString(info.symbols[axis]);
    if (size == nullptr) return nullptr;
    PyTuple_SetItem(shape.get(), axis, size);
  }
  if (!shape) return nullptr;
  return Py_BuildValue("(ssiiOO)", info.name, info.type_text, static_cast<int>(info.kind),
                       static_cast<int>(info.type), info.is_optional != 0 ? Py_True : Py_False,
                       shape.get());
}

using InfoFunction = const ortool_value_info* const* (*)(const ortool_session*, std::size_t*);

template <InfoFunction function>
PyObject* list_infos(PyObject* self, PyObject* /*unused*/) {
  if (!check_is_open(self)) return nullptr;
  std::size_t count = 0;
  const ortool_value_info* const* const infos = function(session_of(self), &count);
  Reference list(PyList_New(0));
  for (std::size_t i = 0; list && i < count; ++i) {
    const Reference info(describe(*infos[i]));
    if (!info || PyList_Append(list.get(), info.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* release_memory(PyObject* self, PyObject* /*unused*/) {
  if (!check_is_open(self)) return nullptr;
  ortool_session_release_memory(session_of(self));
  Py_RETURN_NONE;
}

/// The inputs of a run.
class InputList {
 public:
  explicit InputList(PyObject* session) : session_(session) {}
  ~InputList() {
    for (ortool_value* value : owned_) ortool_value_free(value);
  }
  InputList(const InputList&) = delete;
  InputList& operator=(const InputList&) = delete;

  bool add_all(PyObject* feeds) {
    PyObject* name = nullptr;
    PyObject* object = nullptr;
    Py_ssize_t position = 0;
    if (PyDict_Size(feeds) < 0) return false;
    // A conversion runs Python code, which might change the dictionary.
    const Reference copy(PyDict_Copy(feeds));
    while (copy && PyDict_Next(copy.get(), &position, &name, &object) != 0) {
      if (object == Py_None) continue;  // an optional input that is left out
      if (!names_.add(name) || !add(name, object)) return false;
    }
    return static_cast<bool>(copy);
  }
  const NameList& names() const { return names_; }
  const ortool_value* const* data() const { return values_.data(); }

 private:
  bool add(PyObject* name, PyObject* object) {
    if (Py_TYPE(object) == value_type) return keep(Reference::borrowed(object));
    if (ortool_value* const view = view_of(object)) {
      owned_.push_back(view);
      values_.push_back(view);
      return true;
    }
    if (PyErr_Occurred() != nullptr) return false;
    return keep(Reference(
        PyObject_CallFunctionObjArgs(python_functions.to_value, object, session_, name, nullptr)));
  }

  bool keep(Reference value) {
    const ortool_value* const handle = value ? handle_of(value.get()) : nullptr;
    if (handle == nullptr) return false;
    values_.push_back(handle);
    kept_.push_back(std::move(value));
    return true;
  }

  PyObject* session_;
  NameList names_;
  std::vector<const ortool_value*> values_;
  std::vector<ortool_value*> owned_;
  std::vector<Reference> kept_;
};

/// The outputs of a run, some of them over memory of the caller.
class OutputList {
 public:
  explicit OutputList(std::size_t count) : values_(count) {}
  ~OutputList() {
    for (ortool_value* value : values_) ortool_value_free(value);
  }
  OutputList(const OutputList&) = delete;
  OutputList& operator=(const OutputList&) = delete;

  /// None, or a list with an array or None for each output.
  bool set_targets(PyObject* targets) {
    if (targets == Py_None) return true;
    if (PyList_Size(targets) != static_cast<Py_ssize_t>(values_.size())) {
      if (PyErr_Occurred() == nullptr)
        PyErr_SetString(PyExc_ValueError, "there is not an array or None for each output");
      return false;
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      PyObject* const target = PyList_GetItem(targets, static_cast<Py_ssize_t>(i));
      if (target == Py_None) continue;
      values_[i] = view_of(target);
      if (values_[i] != nullptr) continue;
      if (PyErr_Occurred() == nullptr)
        PyErr_SetString(PyExc_TypeError, "memory for an output is a contiguous array of numbers");
      return false;
    }
    targets_ = targets;
    return true;
  }

  ortool_value** data() { return values_.data(); }
  std::size_t size() const { return values_.size(); }

  /// The list that a run returns.
  PyObject* release() {
    Reference list(PyList_New(static_cast<Py_ssize_t>(values_.size())));
    for (std::size_t i = 0; list && i < values_.size(); ++i) {
      PyObject* const object = release_one(i);
      if (object == nullptr) return nullptr;
      PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), object);
    }
    return list.release();
  }

 private:
  /// The caller's array if the output has its shape.
  PyObject* release_one(std::size_t i) {
    PyObject* const target =
        targets_ != nullptr ? PyList_GetItem(targets_, static_cast<Py_ssize_t>(i)) : Py_None;
    Reference object(object_of(std::exchange(values_[i], nullptr)));
    if (!object || target == Py_None) return object.release();
    const Reference own(PyObject_GetAttrString(object.get(), "shape"));
    const Reference given(own ? PyObject_GetAttrString(target, "shape") : nullptr);
    const int is_same = given ? PyObject_RichCompareBool(own.get(), given.get(), Py_EQ) : -1;
    if (is_same < 0) return nullptr;
    return is_same == 1 ? Reference::borrowed(target).release() : object.release();
  }

  std::vector<ortool_value*> values_;
  PyObject* targets_ = nullptr;
};

bool read_names(PyObject* object, NameList& names) {
  if (object == Py_None) return true;
  if (PyUnicode_Check(object) != 0) {
    PyErr_SetString(PyExc_TypeError, "output_names is a list of names, or None for all outputs");
    return false;
  }
  const Py_ssize_t count = PySequence_Size(object);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Reference name(PySequence_GetItem(object, i));
    if (!name || !names.add(name.get())) return false;
  }
  return count >= 0;
}

/// run(output names or None, feeds, stop, timeout, threads, profile, memory of outputs, feedback)
/// -> list
PyObject* run_session(PyObject* self, PyObject* arguments) {
  PyObject* output_names = nullptr;
  PyObject* feeds = nullptr;
  PyObject* stop_object = nullptr;
  PyObject* profile = nullptr;
  PyObject* targets = nullptr;
  PyObject* feedback = nullptr;
  double timeout = 0;
  int threads = 0;
  if (PyArg_ParseTuple(arguments, "OO!OdiOOO", &output_names, &PyDict_Type, &feeds, &stop_object,
                       &timeout, &threads, &profile, &targets, &feedback) == 0 ||
      !check_is_open(self))
    return nullptr;
  ortool_run_options options = {};
  options.size = sizeof options;
  options.timeout = timeout;
  options.threads = threads;
  NameList names;
  InputList inputs(self);
  if (!read_stop(stop_object, &options.stop) || !read_profile(profile, &options.profile) ||
      !read_names(output_names, names) || !inputs.add_all(feeds))
    return nullptr;
  std::size_t count = names.size();
  const bool is_all = output_names == Py_None;
  if (is_all) ortool_session_outputs(session_of(self), &count);
  OutputList outputs(count);
  if (!outputs.set_targets(targets)) return nullptr;
  const FeedbackUse fed(feedback);
  if (!fed) return nullptr;
  options.feedback = fed.handle();
  const FailureScope failures;
  InterruptScope interrupt(options.stop);
  options.stop = interrupt.stop();
  ortool_error* error = nullptr;
  ortool_status status = ORTOOL_OK;
  {
    const GilRelease released;
    status =
        ortool_run(session_of(self), inputs.names().data(), inputs.data(), inputs.names().size(),
                   is_all ? nullptr : names.data(), outputs.data(), count, &options, &error);
  }
  if (timeout > 0) interrupt.discard();
  if (!finish_call(interrupt, status, error)) return nullptr;
  return outputs.release();
}

}  // namespace

ortool_session* session_handle(PyObject* object) {
  if (PyObject_TypeCheck(object, session_type) == 0) {
    PyErr_SetString(PyExc_TypeError, "a Session is expected");
    return nullptr;
  }
  return check_is_open(object) ? session_of(object) : nullptr;
}

bool add_session_type(PyObject* module) {
  static std::array<PyMethodDef, 6> methods = {{
      {"_open", &open_session, METH_VARARGS, nullptr},
      {"_inputs", &list_infos<&ortool_session_inputs>, METH_NOARGS, nullptr},
      {"_outputs", &list_infos<&ortool_session_outputs>, METH_NOARGS, nullptr},
      {"_run", &run_session, METH_VARARGS, nullptr},
      {"release_memory", &release_memory, METH_NOARGS,
       "Frees the memory that the session keeps for later runs."},
      {nullptr, nullptr, 0, nullptr},
  }};
  static std::array<PyType_Slot, 4> slots = {{
      {Py_tp_new, reinterpret_cast<void*>(&PyType_GenericNew)},
      {Py_tp_dealloc, reinterpret_cast<void*>(&free_session)},
      {Py_tp_methods, methods.data()},
      {0, nullptr},
  }};
  static PyType_Spec spec = {"ortool._native.Session", sizeof(SessionObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  PyObject* const type = PyType_FromSpec(&spec);
  session_type = reinterpret_cast<PyTypeObject*>(type);
  return type != nullptr && PyModule_AddObject(module, "Session", type) == 0;
}

}  // namespace ortool::python
