// Queries on an operator's version history: the opset that added an attribute, an input or a type.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/tensor/data_type.hpp"

namespace ortool {

// All of these are about operators of ONNX's own domain and read the schema; a name that occurs in
// no version is a programming error.

/// The opset that introduced the operator.
std::int64_t opset_of(std::string_view op_type);
/// The first opset with the attribute.
std::int64_t opset_of_attribute(std::string_view op_type, std::string_view attribute);
/// The first opset that no longer has an attribute of earlier ones.
std::int64_t opset_without_attribute(std::string_view op_type, std::string_view attribute);
/// The first opset with an input of that name.
std::int64_t opset_of_input(std::string_view op_type, std::string_view input);
/// The first opset at which that input is optional.
std::int64_t opset_of_optional_input(std::string_view op_type, std::string_view input);
/// The first opset at which that input may have the type.
std::int64_t opset_of_type(std::string_view op_type, std::string_view input, DataType type);

/// The first opset with NumPy-style broadcasting; before it, attributes controlled broadcasting.
std::int64_t opset_of_broadcasting();

}  // namespace ortool
