// Python functions as operators: C structs whose functions call a Python object's methods.
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "apps/python/native/function_failure.hpp"
#include "apps/python/native/operand.hpp"

namespace ortool::python {
namespace {

/// Holds the GIL as long as it lives, in any thread.
class GilHold {
 public:
  GilHold() : state_(PyGILState_Ensure()) {}
  ~GilHold() { PyGILState_Release(state_); }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

 private:
  PyGILState_STATE state_;
};

/// The call of infer() that this thread is in.
thread_local const ortool_call* inferring = nullptr;

class InferScope {
 public:
  explicit InferScope(const ortool_call& call) : outer_(inferring) { inferring = &call; }
  ~InferScope() { inferring = outer_; }
  InferScope(const InferScope&) = delete;
  InferScope& operator=(const InferScope&) = delete;

 private:
  const ortool_call* outer_;
};

template <typename Describe>
Reference tuple_of(std::size_t count, Describe describe) {
  Reference tuple(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (std::size_t i = 0; tuple && i < count; ++i) {
    PyObject* const item = describe(i);
    if (item == nullptr) return {};
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), item);
  }
  return tuple;
}

/// Calls the function `set` for each output that the list has and the node wants.
template <typename Set>
bool set_outputs(const ortool_call& call, PyObject* list, Set set) {
  const Py_ssize_t count = PyList_Size(list);
  if (count < 0) return false;
  for (std::size_t i = 0; i < call.output_count && i < static_cast<std::size_t>(count); ++i) {
    PyObject* const item = PyList_GetItem(list, static_cast<Py_ssize_t>(i));
    if (call.outputs[i]->type == 0 || item == Py_None) continue;
    if (!set(call, i, item)) return false;
  }
  return true;
}

bool infer(ortool_call& call, PyObject* python) {
  const InferScope scope(call);
  const Reference inputs = tuple_of(
      call.input_count, [&](std::size_t i) { return describe_infer_input(*call.inputs[i]); });
  const Reference attributes(inputs ? describe_attributes(call) : nullptr);
  if (!attributes) return false;
  const Reference outputs(PyObject_CallMethod(python, "_infer", "OOn", inputs.get(),
                                              attributes.get(),
                                              static_cast<Py_ssize_t>(call.output_count)));
  return outputs && set_outputs(call, outputs.get(), &set_inferred_output);
}

/// Whether the function makes the outputs, whose shapes or texts are not known before.
bool makes_outputs(const ortool_call& call) {
  for (std::size_t i = 0; i < call.output_count; ++i) {
    if (call.outputs[i]->type < 0) return true;
  }
  return false;
}

bool run(ortool_call& call, PyObject* python) {
  const Reference inputs =
      tuple_of(call.input_count, [&](std::size_t i) { return describe_run_input(call, i); });
  const Reference attributes(inputs ? describe_attributes(call) : nullptr);
  if (!attributes) return false;
  const bool is_made = makes_outputs(call);
  const Reference memory = tuple_of(is_made ? 0 : call.output_count, [&](std::size_t i) {
    return describe_run_output(*call.outputs[i]);
  });
  if (!memory) return false;
  const Reference made(PyObject_CallMethod(python, "_run", "OOOn", inputs.get(), attributes.get(),
                                           is_made ? Py_None : memory.get(),
                                           static_cast<Py_ssize_t>(call.output_count)));
  if (!made) return false;
  return !is_made || set_outputs(call, made.get(), &set_made_output);
}

template <bool (*function)(ortool_call&, PyObject*)>
int call_python(ortool_call* call) {
  const GilHold gil;
  if (function(*call, static_cast<PyObject*>(call->context))) return 0;
  // Without an exception the call has failed already.
  if (PyErr_Occurred() == nullptr) return -1;
  return call->api->fail(call, keep_failure().c_str());
}

void release_python(void* python) {
  if (Py_IsInitialized() == 0) return;
  const GilHold gil;
  Py_DECREF(static_cast<PyObject*>(python));
}

/// The structs of a list of (object, name, domain, version, inputs, outputs, types or None,
/// is_dynamic), and what they point to.
class OperatorList {
 public:
  bool read(PyObject* list) {
    const Py_ssize_t count = PyList_Size(list);
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!add(PyList_GetItem(list, i))) return false;
    }
    for (const ortool_operator& op : ops_) pointers_.push_back(&op);
    return count >= 0;
  }

  ortool_status hand_over(const char* origin, ortool_error** error) {
    for (ortool_operator& op : ops_) Py_INCREF(static_cast<PyObject*>(op.context));
    const ortool_operators all = {ORTOOL_OPERATORS_VERSION,
                                  static_cast<std::uint32_t>(pointers_.size()), pointers_.data()};
    const GilRelease released;
    return ortool_add_operators(&all, origin, error);
  }

 private:
  bool add(PyObject* row) {
    PyObject* python = nullptr;
    PyObject* types = nullptr;
    const char* name = nullptr;
    const char* domain = nullptr;
    int dynamic = 0;
    ortool_operator op = {};
    if (PyArg_ParseTuple(row, "Ossi(ii)(ii)Op", &python, &name, &domain, &op.since_version,
                         &op.min_inputs, &op.max_inputs, &op.min_outputs, &op.max_outputs, &types,
                         &dynamic) == 0)
      return false;
    op.size = sizeof op;
    op.name = texts_.emplace_back(name).c_str();
    op.domain = texts_.emplace_back(domain).c_str();
    if (types != Py_None) {
      std::vector<std::int32_t>& numbers = types_.emplace_back();
      const Py_ssize_t count = PyTuple_Size(types);
      for (Py_ssize_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<std::int32_t>(PyLong_AsLong(PyTuple_GetItem(types, i))));
      numbers.push_back(0);
      if (PyErr_Occurred() != nullptr) return false;
      op.types = numbers.data();
    }
    op.has_dynamic_shapes = dynamic;
    op.infer = &call_python<&infer>;
    op.run = &call_python<&run>;
    op.context = python;
    op.release_context = &release_python;
    ops_.push_back(op);
    return true;
  }

  std::deque<std::string> texts_;
  std::deque<std::vector<std::int32_t>> types_;
  std::deque<ortool_operator> ops_;
  std::vector<const ortool_operator*> pointers_;
};

}  // namespace

/// add_operators(list of rows, origin)
PyObject* add_operators(PyObject* /*module*/, PyObject* arguments) {
  PyObject* rows = nullptr;
  const char* origin = nullptr;
  if (PyArg_ParseTuple(arguments, "O!s", &PyList_Type, &rows, &origin) == 0) return nullptr;
  OperatorList list;
  if (!list.read(rows)) return nullptr;
  ortool_error* error = nullptr;
  if (list.hand_over(origin, &error) != ORTOOL_OK) return raise(error);
  Py_RETURN_NONE;
}

/// remove_operator(domain, name)
PyObject* remove_operator(PyObject* /*module*/, PyObject* arguments) {
  const char* domain = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(arguments, "ss", &domain, &name) == 0) return nullptr;
  ortool_error* error = nullptr;
  ortool_status status = ORTOOL_OK;
  {
    const GilRelease released;
    status = ortool_remove_operator(domain, name, &error);
  }
  if (status != ORTOOL_OK) return raise(error);
  Py_RETURN_NONE;
}

/// infer_value(index) -> bytes, or None where the value is not known
PyObject* infer_value(PyObject* /*module*/, PyObject* arguments) {
  Py_ssize_t index = 0;
  if (PyArg_ParseTuple(arguments, "n", &index) == 0) return nullptr;
  if (inferring == nullptr || index < 0 ||
      static_cast<std::size_t>(index) >= inferring->input_count) {
    PyErr_SetString(PyExc_RuntimeError, "values of operands can be asked for in infer() only");
    return nullptr;
  }
  const auto position = static_cast<std::size_t>(index);
  const void* const data = inferring->api->input_value(inferring, position);
  const ortool_operand& input = *inferring->inputs[position];
  const std::size_t size = element_size(input.type);
  if (data == nullptr || input.count < 0 || size == 0) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(static_cast<const char*>(data),
                                   static_cast<Py_ssize_t>(size) * input.count);
}

}  // namespace ortool::python
