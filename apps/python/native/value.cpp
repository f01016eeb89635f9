// The Python type Value: a tensor, sequence, map or nothing, read without copies.
#include <array>
#include <cstdlib>
#include <vector>

#include "apps/c/dlpack_tensor.hpp"
#include "apps/python/native/array_description.hpp"
#include "apps/python/native/native.hpp"

namespace ortool::python {

PyTypeObject* value_type = nullptr;

namespace {

struct ValueObject {
  PyObject_HEAD ortool_value* handle;
  PyObject* memory;  ///< that the handle views; may be null
};

ValueObject* as_value(PyObject* self) {
  return reinterpret_cast<ValueObject*>(self);
}

void free_value_object(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ortool_value_free(as_value(self)->handle);
  Py_XDECREF(as_value(self)->memory);
  PyObject_Free(self);
  Py_DECREF(type);
}

void free_array_struct(PyObject* capsule) {
  std::free(PyCapsule_GetPointer(capsule, nullptr));
}

/// numpy reads the memory through this, and keeps the Value as the array's base.
PyObject* get_array_struct(PyObject* self, void* /*unused*/) {
  const ortool_value* const handle = as_value(self)->handle;
  const ArrayType type = array_type(ortool_tensor_type(handle));
  if (type.size == 0) {
    PyErr_SetString(PyExc_AttributeError, "numpy does not have this element type");
    return nullptr;
  }
  std::size_t rank = 0;
  const std::int64_t* const shape = ortool_tensor_shape(handle, &rank);
  auto* array = static_cast<ArrayDescription*>(
      std::malloc(sizeof(ArrayDescription) + 2 * rank * sizeof(Py_ssize_t)));
  if (array == nullptr) return PyErr_NoMemory();
  auto* const sizes = reinterpret_cast<Py_ssize_t*>(array + 1);
  Py_ssize_t stride = type.size;
  for (std::size_t axis = rank; axis-- > 0;) {
    sizes[axis] = shape[axis];
    sizes[rank + axis] = stride;
    stride *= shape[axis];
  }
  *array = {2,
            static_cast<int>(rank),
            type.kind,
            type.size,
            array_contiguous | array_aligned | array_native,
            sizes,
            sizes + rank,
            const_cast<void*>(ortool_tensor_data(handle)),
            nullptr};
  PyObject* const capsule = PyCapsule_New(array, nullptr, &free_array_struct);
  if (capsule == nullptr) std::free(array);
  return capsule;
}

void free_dlpack(PyObject* capsule) {
  // A consumer has renamed the capsule, and owns the tensor.
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

PyObject* to_dlpack(PyObject* self, PyObject* /*arguments*/, PyObject* /*keywords*/) {
  DLManagedTensor* managed = nullptr;
  ortool_error* error = nullptr;
  if (ortool_tensor_to_dlpack(as_value(self)->handle, &managed, &error) != ORTOOL_OK)
    return raise(error);
  PyObject* const capsule = PyCapsule_New(managed, "dltensor", &free_dlpack);
  if (capsule == nullptr) managed->deleter(managed);
  return capsule;
}

PyObject* dlpack_device(PyObject* /*self*/, PyObject* /*unused*/) {
  return Py_BuildValue("(ii)", static_cast<int>(dlpack_cpu), 0);
}

PyObject* get_kind(PyObject* self, void* /*unused*/) {
  return PyLong_FromLong(ortool_value_kind(as_value(self)->handle));
}

PyObject* get_type(PyObject* self, void* /*unused*/) {
  return PyLong_FromLong(ortool_tensor_type(as_value(self)->handle));
}

PyObject* get_shape(PyObject* self, void* /*unused*/) {
  std::size_t rank = 0;
  const std::int64_t* const shape = ortool_tensor_shape(as_value(self)->handle, &rank);
  Reference tuple(PyTuple_New(static_cast<Py_ssize_t>(rank)));
  for (std::size_t axis = 0; tuple && axis < rank; ++axis) {
    PyObject* const size = PyLong_FromLongLong(shape[axis]);
    if (size == nullptr) return nullptr;
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(axis), size);
  }
  return tuple.release();
}

PyObject* to_bytes(PyObject* self, PyObject* /*unused*/) {
  const ortool_value* const handle = as_value(self)->handle;
  return PyBytes_FromStringAndSize(static_cast<const char*>(ortool_tensor_data(handle)),
                                   static_cast<Py_ssize_t>(ortool_tensor_size(handle)));
}

PyObject* to_strings(PyObject* self, PyObject* /*unused*/) {
  const ortool_value* const handle = as_value(self)->handle;
  Reference list(PyList_New(0));
  std::size_t length = 0;
  for (std::size_t i = 0; list; ++i) {
    const char* const text = ortool_tensor_string(handle, i, &length);
    if (text == nullptr) break;
    const Reference item(
        PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "surrogateescape"));
    if (!item || PyList_Append(list.get(), item.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* to_elements(PyObject* self, PyObject* /*unused*/) {
  const ortool_value* const handle = as_value(self)->handle;
  const std::size_t count =
      ortool_value_kind(handle) == ORTOOL_TENSOR ? 0 : ortool_value_count(handle);
  Reference list(PyList_New(0));
  for (std::size_t i = 0; list && i < count; ++i) {
    ortool_value* element = nullptr;
    ortool_error* error = nullptr;
    if (ortool_value_element(handle, i, &element, &error) != ORTOOL_OK) return raise(error);
    const Reference item(wrap_value(element));
    if (!item || PyList_Append(list.get(), item.get()) != 0) return nullptr;
  }
  return list.release();
}

/// view(object): a tensor over its memory, not copied; None if the memory needs a conversion.
PyObject* make_view(PyObject* /*type*/, PyObject* object) {
  ortool_value* const handle = view_of(object);
  if (handle != nullptr) return wrap_value(handle);
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_RETURN_NONE;
}

bool read_shape(PyObject* tuple, std::vector<std::int64_t>& shape) {
  const Py_ssize_t rank = PyTuple_Size(tuple);
  for (Py_ssize_t axis = 0; axis < rank; ++axis)
    shape.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, axis)));
  return PyErr_Occurred() == nullptr;
}

/// typed(bytes, type, shape): a tensor of any element type over a bytes object.
PyObject* make_typed(PyObject* /*type*/, PyObject* arguments) {
  PyObject* bytes = nullptr;
  PyObject* tuple = nullptr;
  int type = 0;
  if (PyArg_ParseTuple(arguments, "SiO!", &bytes, &type, &PyTuple_Type, &tuple) == 0)
    return nullptr;
  std::vector<std::int64_t> shape;
  if (!read_shape(tuple, shape)) return nullptr;
  ortool_value* handle = nullptr;
  ortool_error* error = nullptr;
  const auto size = static_cast<std::size_t>(PyBytes_Size(bytes));
  if (ortool_tensor_new(type, shape.data(), shape.size(), PyBytes_AsString(bytes), size, &handle,
                        &error) != ORTOOL_OK)
    return raise(error);
  PyObject* const value = wrap_value(handle);
  if (value != nullptr) as_value(value)->memory = Reference::borrowed(bytes).release();
  return value;
}

/// of_strings(list of bytes, shape): a tensor of strings.
PyObject* make_strings(PyObject* /*type*/, PyObject* arguments) {
  PyObject* list = nullptr;
  PyObject* tuple = nullptr;
  if (PyArg_ParseTuple(arguments, "O!O!", &PyList_Type, &list, &PyTuple_Type, &tuple) == 0)
    return nullptr;
  std::vector<std::int64_t> shape;
  if (!read_shape(tuple, shape)) return nullptr;
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  if (PyList_Size(list) != count) {
    PyErr_SetString(PyExc_ValueError, "the number of strings does not fit the shape");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    char* text = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &text, &length) != 0) return nullptr;
    texts.push_back(text);
    lengths.push_back(static_cast<std::size_t>(length));
  }
  ortool_value* handle = nullptr;
  ortool_error* error = nullptr;
  if (ortool_tensor_of_strings(shape.data(), shape.size(), texts.data(), lengths.data(), &handle,
                               &error) != ORTOOL_OK)
    return raise(error);
  return wrap_value(handle);
}

/// sequence(list of Value)
PyObject* make_sequence(PyObject* /*type*/, PyObject* list) {
  if (PyList_Check(list) == 0) {
    PyErr_SetString(PyExc_TypeError, "sequence() takes a list of Value");
    return nullptr;
  }
  std::vector<const ortool_value*> elements;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    const ortool_value* const element = handle_of(PyList_GetItem(list, i));
    if (element == nullptr) return nullptr;
    elements.push_back(element);
  }
  ortool_value* handle = nullptr;
  ortool_error* error = nullptr;
  if (ortool_sequence_new(elements.data(), elements.size(), &handle, &error) != ORTOOL_OK)
    return raise(error);
  PyObject* const value = wrap_value(handle);
  // Elements may view memory that only their Value keeps.
  if (value != nullptr) as_value(value)->memory = Reference::borrowed(list).release();
  return value;
}

/// map(keys, values)
PyObject* make_map(PyObject* /*type*/, PyObject* arguments) {
  PyObject* keys = nullptr;
  PyObject* values = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &keys, &values) == 0) return nullptr;
  const ortool_value* const key = handle_of(keys);
  const ortool_value* const held = key != nullptr ? handle_of(values) : nullptr;
  if (held == nullptr) return nullptr;
  ortool_value* handle = nullptr;
  ortool_error* error = nullptr;
  if (ortool_map_new(key, held, &handle, &error) != ORTOOL_OK) return raise(error);
  PyObject* const value = wrap_value(handle);
  if (value != nullptr) as_value(value)->memory = Reference::borrowed(arguments).release();
  return value;
}

}  // namespace

PyObject* wrap_value(ortool_value* handle) {
  PyObject* const self = PyType_GenericAlloc(value_type, 0);
  if (self == nullptr) {
    ortool_value_free(handle);
    return nullptr;
  }
  as_value(self)->handle = handle;
  return self;
}

ortool_value* handle_of(PyObject* value) {
  if (Py_TYPE(value) == value_type) return as_value(value)->handle;
  PyErr_SetString(PyExc_TypeError, "an ortool.Value is expected");
  return nullptr;
}

PyObject* object_of(ortool_value* handle) {
  const bool is_array = array_type(ortool_tensor_type(handle)).size > 0;
  const Reference value(wrap_value(handle));
  if (!value) return nullptr;
  return PyObject_CallFunctionObjArgs(
      is_array ? python_functions.asarray : python_functions.from_value, value.get(), nullptr);
}

bool add_value_type(PyObject* module) {
  static std::array<PyMethodDef, 11> methods = {{
      {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&to_dlpack)),
       METH_VARARGS | METH_KEYWORDS,
       "The tensor as a DLPack capsule, not copied; do not write to it."},
      {"__dlpack_device__", &dlpack_device, METH_NOARGS, "(1, 0): host memory."},
      {"tobytes", &to_bytes, METH_NOARGS, "A copy of the tensor's memory."},
      {"strings", &to_strings, METH_NOARGS, "The strings of a tensor, in a list."},
      {"elements", &to_elements, METH_NOARGS,
       "The elements of a sequence; keys and values of a map."},
      {"view", &make_view, METH_O | METH_STATIC,
       "A tensor over the memory of an array, not copied; None if that needs a conversion."},
      {"typed", &make_typed, METH_VARARGS | METH_STATIC,
       "typed(bytes, type, shape): a tensor of any of ONNX's element types over the bytes."},
      {"of_strings", &make_strings, METH_VARARGS | METH_STATIC,
       "of_strings(list of bytes, shape): a tensor of strings."},
      {"sequence", &make_sequence, METH_O | METH_STATIC, "A sequence of a list of Values."},
      {"map", &make_map, METH_VARARGS | METH_STATIC,
       "map(keys, values): a map of two Values of equal length."},
      {nullptr, nullptr, 0, nullptr},
  }};
  static std::array<PyGetSetDef, 5> attributes = {{
      {"__array_struct__", &get_array_struct, nullptr, "The memory, for numpy.", nullptr},
      {"kind", &get_kind, nullptr, "0: nothing, 1: tensor, 2: sequence, 3: map.", nullptr},
      {"type", &get_type, nullptr, "The element type of a tensor: ONNX's number.", nullptr},
      {"shape", &get_shape, nullptr, "The shape of a tensor.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  }};
  static std::array<PyType_Slot, 5> slots = {{
      {Py_tp_dealloc, reinterpret_cast<void*>(&free_value_object)},
      {Py_tp_methods, methods.data()},
      {Py_tp_getset, attributes.data()},
      {Py_tp_doc,
       const_cast<char*>("A tensor, sequence, map or nothing, in the memory of the engine "
                         "or of its creator. Immutable.")},
      {0, nullptr},
  }};
  static PyType_Spec spec = {"ortool.Value", sizeof(ValueObject), 0, Py_TPFLAGS_DEFAULT,
                             slots.data()};
  value_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (value_type == nullptr) return false;
  Py_INCREF(value_type);
  return PyModule_AddObject(module, "Value", reinterpret_cast<PyObject*>(value_type)) == 0;
}

}  // namespace ortool::python
