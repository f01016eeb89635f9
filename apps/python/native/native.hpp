// Types and helpers of the Python module: references, errors, and the functions that each file
// provides.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <utility>

#include "apps/c/ortool/ortool.h"

namespace ortool::python {

/// An owned reference, or null. Used with the GIL held.
class Reference {
 public:
  Reference() = default;
  explicit Reference(PyObject* owned) : object_(owned) {}
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() { Py_XDECREF(object_); }

  static Reference borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Reference(object);
  }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// Releases the GIL as long as it lives.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { PyEval_RestoreThread(state_); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// What the Python side of the package provides, set by set_functions().
struct PythonFunctions {
  PyObject* error_type = nullptr;  ///< Error(status, message, hint, rule, node)
  PyObject* to_value = nullptr;    ///< to_value(object, session, name) -> Value
  PyObject* from_value = nullptr;  ///< from_value(Value) -> object
  PyObject* asarray = nullptr;     ///< numpy.asarray
};
extern PythonFunctions python_functions;

/// Raises the error, and frees it: with the exception of a function that caused it as its cause, or
/// that exception itself if it ends programs, as KeyboardInterrupt does. Returns null.
PyObject* raise(ortool_error* error);

// value.cpp
extern PyTypeObject* value_type;
bool add_value_type(PyObject* module);
/// A Value that owns the handle; null with an exception set.
PyObject* wrap_value(ortool_value* handle);
ortool_value* handle_of(PyObject* value);
/// What runs return for a value, which it owns: an array over the value's memory where numpy has
/// the element type.
PyObject* object_of(ortool_value* handle);

// array_input.cpp
/// numpy's kind and size of an element type; a size of 0: it has none.
struct ArrayType {
  char kind;
  int size;
};
ArrayType array_type(ortool_type type);
/// A value over the memory of an object with __array_struct__ or __dlpack__, not copied. Null
/// without an exception if it has neither, or one that needs a conversion.
ortool_value* view_of(PyObject* object);

// session.cpp
bool add_session_type(PyObject* module);
/// Null with an exception set for anything but a Session.
ortool_session* session_handle(PyObject* object);

// feedback.cpp
bool add_feedback_type(PyObject* module);
/// A Feedback, or None, as long as a call uses it; no other thread may then.
class FeedbackUse {
 public:
  explicit FeedbackUse(PyObject* object);
  ~FeedbackUse();
  FeedbackUse(const FeedbackUse&) = delete;
  FeedbackUse& operator=(const FeedbackUse&) = delete;

  /// False: it is none, or in use; an exception is set.
  explicit operator bool() const { return is_valid_; }
  /// Null for None.
  ortool_feedback* handle() const;

 private:
  PyObject* object_ = nullptr;
  bool is_valid_ = false;
};

// profile.cpp
bool add_profile_type(PyObject* module);
/// The handle of a Profile, null for None; sets an exception and returns false for anything else.
bool read_profile(PyObject* object, ortool_profile** profile);

// stop.cpp
bool add_stop_type(PyObject* module);
/// The handle of a Stop, null for None; sets an exception and returns false for anything else.
bool read_stop(PyObject* object, ortool_stop** stop);

// command.cpp
PyObject* call_command(PyObject* module, PyObject* arguments);

// operator.cpp
PyObject* add_operators(PyObject* module, PyObject* arguments);
PyObject* remove_operator(PyObject* module, PyObject* arguments);
PyObject* infer_value(PyObject* module, PyObject* arguments);

}  // namespace ortool::python
