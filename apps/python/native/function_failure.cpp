// Exceptions of Python functions: found again by the text that the error has of them.
#include "apps/python/native/function_failure.hpp"

#include <thread>
#include <vector>

namespace ortool::python {
namespace {

struct Failure {
  std::string text;
  std::thread::id thread;
  Reference exception;
};

// The GIL guards both. The list is never destroyed: the interpreter is gone by then.
int scopes = 0;
std::vector<Failure>& failures() {
  static auto* const list = new std::vector<Failure>;
  return *list;
}

constexpr std::size_t max_text = 500;
constexpr std::size_t max_failures = 64;

/// "ValueError: text" in one line.
std::string describe(PyObject* exception) {
  const Reference type_name(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(exception)), "__name__"));
  const Reference type_bytes(type_name ? PyUnicode_AsUTF8String(type_name.get()) : nullptr);
  const Reference string(PyObject_Str(exception));
  const Reference bytes(string ? PyUnicode_AsEncodedString(string.get(), "utf-8", "replace")
                               : nullptr);
  PyErr_Clear();
  std::string text = type_bytes ? PyBytes_AsString(type_bytes.get()) : "an exception";
  std::string message = bytes ? PyBytes_AsString(bytes.get()) : "";
  message = message.substr(0, message.find('\n'));
  if (message.size() > max_text) message = message.substr(0, max_text) + "…";
  return message.empty() ? text : text + ": " + message;
}

bool is_exit(const Failure& failure) {
  return PyObject_IsInstance(failure.exception.get(), PyExc_Exception) == 0;
}

}  // namespace

FailureScope::FailureScope() {
  ++scopes;
}

FailureScope::~FailureScope() {
  if (--scopes > 0) return;
  // An exception that goes may run Python code, which may come here again.
  std::vector<Failure> dropped;
  dropped.swap(failures());
}

std::string keep_failure() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Reference held_type(type);
  const Reference held_traceback(traceback);
  Reference exception(value);
  if (!exception) return "an exception";
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  std::string text = describe(value);
  if (scopes == 0) return text;
  failures().push_back({text, std::this_thread::get_id(), std::move(exception)});
  // Those of errors that the engine got over, as while it folds constants.
  Reference oldest;
  if (failures().size() > max_failures) {
    oldest = std::move(failures().front().exception);
    failures().erase(failures().begin());
  }
  return text;
}

PyObject* take_failure(const std::string& message, bool is_interrupted) {
  std::vector<Failure>& all = failures();
  const std::thread::id own = std::this_thread::get_id();
  std::size_t found = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_own = all[i].thread == own;
    const bool matches = message.find(all[i].text) != std::string::npos ||
                         (is_interrupted && is_own && is_exit(all[i]));
    // The newest, of this thread if there is one.
    if (matches && (found == all.size() || is_own || all[found].thread != own)) found = i;
  }
  if (found == all.size()) return nullptr;
  Reference exception = std::move(all[found].exception);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(found));
  return exception.release();
}

}  // namespace ortool::python
