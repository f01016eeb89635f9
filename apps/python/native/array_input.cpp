// Tensors over the memory of Python objects: numpy's __array_struct__ and DLPack.
#include <array>
#include <memory>

#include "apps/c/dlpack_tensor.hpp"
#include "apps/python/native/array_description.hpp"
#include "apps/python/native/native.hpp"

namespace ortool::python {
namespace {

struct TypeRow {
  ortool_type type;
  ArrayType array;
  std::uint8_t code;  ///< DLPack's
};

constexpr std::array<TypeRow, 14> type_rows = {{
    {ORTOOL_FLOAT32, {'f', 4}, dlpack_float},
    {ORTOOL_FLOAT64, {'f', 8}, dlpack_float},
    {ORTOOL_FLOAT16, {'f', 2}, dlpack_float},
    {ORTOOL_INT64, {'i', 8}, dlpack_int},
    {ORTOOL_INT32, {'i', 4}, dlpack_int},
    {ORTOOL_INT16, {'i', 2}, dlpack_int},
    {ORTOOL_INT8, {'i', 1}, dlpack_int},
    {ORTOOL_UINT8, {'u', 1}, dlpack_unsigned},
    {ORTOOL_UINT16, {'u', 2}, dlpack_unsigned},
    {ORTOOL_UINT32, {'u', 4}, dlpack_unsigned},
    {ORTOOL_UINT64, {'u', 8}, dlpack_unsigned},
    {ORTOOL_BOOL, {'b', 1}, dlpack_bool},
    {ORTOOL_COMPLEX64, {'c', 8}, dlpack_complex},
    {ORTOOL_COMPLEX128, {'c', 16}, dlpack_complex},
}};

const TypeRow* row_of(char kind, int size) {
  for (const TypeRow& row : type_rows) {
    if (row.array.kind == kind && row.array.size == size) return &row;
  }
  return nullptr;
}

/// An array that a value views, kept by its capsule: outputs may share the memory of inputs.
struct ViewedArray {
  DLManagedTensor managed;
  PyObject* capsule;
};

void free_viewed(DLManagedTensor* managed) {
  // Values are freed by any thread.
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* viewed = static_cast<ViewedArray*>(managed->manager_ctx);
  Py_DECREF(viewed->capsule);
  delete viewed;
  PyGILState_Release(state);
}

ortool_value* from_managed(DLManagedTensor* managed) {
  ortool_value* value = nullptr;
  ortool_error* error = nullptr;
  if (ortool_tensor_from_dlpack(managed, &value, &error) != ORTOOL_OK) raise(error);
  return value;
}

ortool_value* view_of_struct(Reference capsule) {
  const auto* array =
      static_cast<const ArrayDescription*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (array == nullptr) return nullptr;
  constexpr int needed = array_contiguous | array_aligned | array_native;
  const TypeRow* row = row_of(array->kind, array->item_size);
  if (array->two != 2 || row == nullptr || (array->flags & needed) != needed) return nullptr;
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  auto viewed = std::make_unique<ViewedArray>();
  viewed->managed.dl_tensor = {array->data,
                               {dlpack_cpu, 0},
                               array->rank,
                               {row->code, static_cast<std::uint8_t>(array->item_size * 8), 1},
                               reinterpret_cast<std::int64_t*>(array->shape),
                               nullptr,
                               0};
  viewed->managed.manager_ctx = viewed.get();
  viewed->managed.deleter = &free_viewed;
  ortool_value* value = from_managed(&viewed->managed);
  if (value == nullptr) return nullptr;
  viewed->capsule = capsule.release();
  static_cast<void>(viewed.release());
  return value;
}

ortool_value* view_of_capsule(const Reference& capsule) {
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (managed == nullptr) return nullptr;
  ortool_value* value = from_managed(managed);
  // The new name says that the tensor has an owner.
  if (value != nullptr) PyCapsule_SetName(capsule.get(), "used_dltensor");
  return value;
}

/// An attribute; null without an exception if there is none.
Reference find_attribute(PyObject* object, const char* name) {
  Reference found(PyObject_GetAttrString(object, name));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return found;
}

}  // namespace

ArrayType array_type(ortool_type type) {
  for (const TypeRow& row : type_rows) {
    if (row.type == type) return row.array;
  }
  return {0, 0};
}

ortool_value* view_of(PyObject* object) {
  static PyObject* const struct_name = PyUnicode_InternFromString("__array_struct__");
  Reference capsule(PyObject_GetAttr(object, struct_name));
  if (capsule)
    return PyCapsule_CheckExact(capsule.get()) ? view_of_struct(std::move(capsule)) : nullptr;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
  PyErr_Clear();
  const Reference method = find_attribute(object, "__dlpack__");
  if (!method) return nullptr;
  capsule = Reference(PyObject_CallObject(method.get(), nullptr));
  return capsule ? view_of_capsule(capsule) : nullptr;
}

}  // namespace ortool::python
