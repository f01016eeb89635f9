// The struct behind __array_struct__, numpy's protocol for arrays in memory, whose layout is fixed.
#pragma once

#include <Python.h>

namespace ortool::python {

struct ArrayDescription {
  int two;  ///< always 2
  int rank;
  char kind;  ///< 'f', 'i', 'u', 'b' or 'c'
  int item_size;
  int flags;
  Py_ssize_t* shape;
  Py_ssize_t* strides;  ///< in bytes
  void* data;
  PyObject* description;
};

enum : int { array_contiguous = 0x1, array_aligned = 0x100, array_native = 0x200 };

}  // namespace ortool::python
