// Exceptions of Python functions that the engine called, until the error that they caused is
// raised.
#pragma once

#include <string>

#include "apps/python/native/native.hpp"

namespace ortool::python {

/// As long as one lives, exceptions of functions are kept. Created and destroyed with the GIL held,
/// around each call of the library that may call functions.
class FailureScope {
 public:
  FailureScope();
  ~FailureScope();
  FailureScope(const FailureScope&) = delete;
  FailureScope& operator=(const FailureScope&) = delete;
};

/// Takes the exception that is set, and keeps it. Returns a text for the error, in one line.
std::string keep_failure();

/// The exception behind an error with this message; a new reference, or null. For a call that was
/// interrupted also the one that did so in this thread, whatever the message.
PyObject* take_failure(const std::string& message, bool is_interrupted);

}  // namespace ortool::python
