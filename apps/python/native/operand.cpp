// Operands of Python functions as operators: C structs to tuples, and Values to outputs.
#include "apps/python/native/operand.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace ortool::python {
namespace {

/// ONNX's numbers of attribute kinds.
enum AttributeKind : std::int32_t {
  kind_float = 1,
  kind_int = 2,
  kind_string = 3,
  kind_tensor = 4,
  kind_floats = 6,
  kind_ints = 7,
  kind_strings = 8,
};

PyObject* text_of(const char* text, std::size_t length) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "surrogateescape");
}

PyObject* shape_tuple(const std::int64_t* shape, std::int32_t rank) {
  Reference tuple(PyTuple_New(rank));
  for (std::int32_t axis = 0; tuple && axis < rank; ++axis) {
    PyObject* const size = PyLong_FromLongLong(shape[axis]);
    if (size == nullptr) return nullptr;
    PyTuple_SetItem(tuple.get(), axis, size);
  }
  return tuple.release();
}

/// Where elements are. Python makes an array of it, which must not outlive the call.
PyObject* address_of(const void* data, std::int32_t type) {
  if (element_size(type) > 0) return PyLong_FromVoidPtr(const_cast<void*>(data));
  PyErr_Format(PyExc_TypeError, "elements of ONNX's type %d are packed, which arrays cannot hold",
               static_cast<int>(type));
  return nullptr;
}

/// A tuple of three references, which are taken over; null if one is null.
PyObject* pack(Reference first, Reference second, Reference third) {
  if (!first || !second || !third) return nullptr;
  PyObject* const tuple = PyTuple_New(3);
  if (tuple == nullptr) return nullptr;
  PyTuple_SetItem(tuple, 0, first.release());
  PyTuple_SetItem(tuple, 1, second.release());
  PyTuple_SetItem(tuple, 2, third.release());
  return tuple;
}

PyObject* none() {
  return Reference::borrowed(Py_None).release();
}

template <typename MakeItem>
PyObject* list_of(std::size_t count, MakeItem make_item) {
  Reference list(PyList_New(static_cast<Py_ssize_t>(count)));
  for (std::size_t i = 0; list && i < count; ++i) {
    PyObject* const item = make_item(i);
    if (item == nullptr) return nullptr;
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), item);
  }
  return list.release();
}

PyObject* texts_of(const ortool_attribute& attribute) {
  const auto* const texts = static_cast<const char* const*>(attribute.data);
  return list_of(attribute.count,
                 [&](std::size_t i) { return text_of(texts[i], std::strlen(texts[i])); });
}

PyObject* attribute_value(const ortool_attribute& attribute) {
  const auto* const floats = static_cast<const float*>(attribute.data);
  const auto* const ints = static_cast<const std::int64_t*>(attribute.data);
  switch (attribute.kind) {
    case kind_float:
      return PyFloat_FromDouble(static_cast<double>(*floats));
    case kind_int:
      return PyLong_FromLongLong(*ints);
    case kind_string:
      return text_of(static_cast<const char*>(attribute.data), attribute.count);
    case kind_floats:
      return list_of(attribute.count, [&](std::size_t i) {
        return PyFloat_FromDouble(static_cast<double>(floats[i]));
      });
    case kind_ints:
      return list_of(attribute.count, [&](std::size_t i) { return PyLong_FromLongLong(ints[i]); });
    case kind_strings:
      return texts_of(attribute);
    case kind_tensor:
      if (attribute.type != ORTOOL_STRING && element_size(attribute.type) == 0) break;
      return pack(
          Reference(PyLong_FromLong(attribute.type)),
          Reference(shape_tuple(attribute.shape, attribute.rank)),
          Reference(attribute.type == ORTOOL_STRING ? texts_of(attribute)
                                                    : address_of(attribute.data, attribute.type)));
    default:
      break;
  }
  return Reference::borrowed(Py_NotImplemented).release();
}

}  // namespace

std::size_t element_size(ortool_type type) {
  switch (type) {
    case ORTOOL_BFLOAT16:
      return 2;
    case ORTOOL_FLOAT8E4M3FN:
    case ORTOOL_FLOAT8E4M3FNUZ:
    case ORTOOL_FLOAT8E5M2:
    case ORTOOL_FLOAT8E5M2FNUZ:
    case ORTOOL_FLOAT8E8M0:
      return 1;
    default:
      return static_cast<std::size_t>(array_type(type).size);
  }
}

PyObject* describe_run_input(const ortool_call& call, std::size_t index) {
  const ortool_operand& input = *call.inputs[index];
  if (input.type == 0) return none();
  Reference type(PyLong_FromLong(input.type));
  Reference shape(shape_tuple(input.shape, input.rank));
  if (input.type != ORTOOL_STRING) {
    return pack(std::move(type), std::move(shape), Reference(address_of(input.data, input.type)));
  }
  return pack(std::move(type), std::move(shape),
              Reference(list_of(static_cast<std::size_t>(input.count), [&](std::size_t i) {
                std::size_t length = 0;
                const char* const text =
                    call.api->input_string(&call, index, static_cast<std::int64_t>(i), &length);
                return text_of(text, length);
              })));
}

PyObject* describe_run_output(const ortool_operand& output) {
  if (output.type == 0) return none();
  return pack(Reference(PyLong_FromLong(output.type)),
              Reference(shape_tuple(output.shape, output.rank)),
              Reference(address_of(output.data, output.type)));
}

PyObject* describe_infer_input(const ortool_operand& input) {
  if (input.type == 0) return none();
  Reference shape = Reference::borrowed(Py_None);
  if (input.rank >= 0) shape = Reference(PyTuple_New(input.rank));
  for (std::int32_t axis = 0; shape && axis < input.rank; ++axis) {
    const char* const symbol = input.symbols[axis];
    PyObject* const size = input.shape[axis] >= 0          ? PyLong_FromLongLong(input.shape[axis])
                           : std::strcmp(symbol, "?") == 0 ? none()
                                                           : PyUnicode_FromString(symbol);
    if (size == nullptr) return nullptr;
    PyTuple_SetItem(shape.get(), axis, size);
  }
  if (!shape) return nullptr;
  return Py_BuildValue("(iO)", static_cast<int>(input.type), shape.get());
}

PyObject* describe_attributes(const ortool_call& call) {
  Reference attributes(PyDict_New());
  ortool_attribute attribute = {};
  for (std::size_t i = 0; attributes && call.api->attribute(&call, i, &attribute) != 0; ++i) {
    const Reference value(attribute_value(attribute));
    if (!value || PyDict_SetItemString(attributes.get(), attribute.name, value.get()) != 0)
      return nullptr;
  }
  return attributes.release();
}

bool set_inferred_output(const ortool_call& call, std::size_t index, PyObject* description) {
  int type = 0;
  PyObject* dimensions = nullptr;
  if (PyArg_ParseTuple(description, "iO", &type, &dimensions) == 0) return false;
  if (dimensions == Py_None)
    return call.api->set_output(&call, index, type, -1, nullptr, nullptr, nullptr) == 0;
  const Py_ssize_t rank = PyTuple_Size(dimensions);
  if (rank < 0) return false;
  std::vector<std::int64_t> shape;
  std::vector<Reference> texts;
  std::vector<const char*> symbols;
  for (Py_ssize_t axis = 0; axis < rank; ++axis) {
    PyObject* const size = PyTuple_GetItem(dimensions, axis);
    const bool is_number = PyLong_Check(size) != 0;
    shape.push_back(is_number ? PyLong_AsLongLong(size) : -1);
    if (PyErr_Occurred() != nullptr) return false;
    symbols.push_back("");
    if (PyUnicode_Check(size) == 0) continue;
    texts.emplace_back(PyUnicode_AsUTF8String(size));
    if (!texts.back()) return false;
    symbols.back() = PyBytes_AsString(texts.back().get());
  }
  return call.api->set_output(&call, index, type, static_cast<std::int32_t>(rank), shape.data(),
                              symbols.data(), nullptr) == 0;
}

bool set_made_output(const ortool_call& call, std::size_t index, PyObject* object) {
  const ortool_value* const value = handle_of(object);
  if (value == nullptr) return false;
  std::size_t rank = 0;
  const std::int64_t* const shape = ortool_tensor_shape(value, &rank);
  const ortool_type type = ortool_tensor_type(value);
  void* data = nullptr;
  if (call.api->set_output(&call, index, type, static_cast<std::int32_t>(rank), shape, nullptr,
                           &data) != 0)
    return false;
  if (type != ORTOOL_STRING) {
    const std::size_t size = ortool_tensor_size(value);
    if (size > 0 && data != nullptr) std::memcpy(data, ortool_tensor_data(value), size);
    return true;
  }
  const auto count = static_cast<std::int64_t>(ortool_value_count(value));
  for (std::int64_t i = 0; i < count; ++i) {
    std::size_t length = 0;
    const char* const text = ortool_tensor_string(value, static_cast<std::size_t>(i), &length);
    if (call.api->set_string(&call, index, i, text, length) != 0) return false;
  }
  return true;
}

}  // namespace ortool::python
