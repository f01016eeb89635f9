// Name list: Python strings as the names that the C interface takes.
#pragma once

#include <vector>

#include "apps/python/native/native.hpp"

namespace ortool::python {

/// Names as UTF-8, which live as long as the list.
class NameList {
 public:
  bool add(PyObject* name) {
    if (PyUnicode_Check(name) == 0) {
      PyErr_SetString(PyExc_TypeError, "names of inputs and outputs are strings");
      return false;
    }
    Reference bytes(PyUnicode_AsUTF8String(name));
    if (!bytes) return false;
    pointers_.push_back(PyBytes_AsString(bytes.get()));
    kept_.push_back(std::move(bytes));
    return true;
  }
  /// Never null, which would mean that there are no names.
  const char* const* data() const {
    static const char* const none = nullptr;
    return pointers_.empty() ? &none : pointers_.data();
  }
  std::size_t size() const { return pointers_.size(); }

 private:
  std::vector<Reference> kept_;
  std::vector<const char*> pointers_;
};

}  // namespace ortool::python
