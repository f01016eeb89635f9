// Operands of Python functions as operators: tuples over the memory of a call, and outputs back.
#pragma once

#include "apps/python/native/native.hpp"
#include "providers/cpu/custom/ortool/custom_ops.h"

namespace ortool::python {

/// The size of an element in bytes; 0 for strings and for packed types.
std::size_t element_size(ortool_type type);

/// (type, shape, memory): the address of the elements, or a list of str; None where the operand is
/// left out. Null with an exception set for packed types.
PyObject* describe_run_input(const ortool_call& call, std::size_t index);
/// The same of an output whose memory is there.
PyObject* describe_run_output(const ortool_operand& output);
/// (type, shape): numbers, texts of symbols and None, or None for an unknown rank; None where the
/// operand is left out.
PyObject* describe_infer_input(const ortool_operand& input);
/// The node's attributes as a dict: float, int, str, lists, (type, shape, memory or list of str)
/// for tensors, and NotImplemented for other kinds.
PyObject* describe_attributes(const ortool_call& call);

/// Sets type and shape of an output by (type, shape). False with an exception set.
bool set_inferred_output(const ortool_call& call, std::size_t index, PyObject* description);
/// Makes an output and copies the Value `value` to it. False with an exception set, unless the call
/// failed, which has the reason.
bool set_made_output(const ortool_call& call, std::size_t index, PyObject* value);

}  // namespace ortool::python
