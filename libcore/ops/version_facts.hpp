// Facts of an operator's versions: the opset from which on it has an attribute, an input or a type.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/tensor/data_type.hpp"

namespace ortool {

// Each is of an operator of ONNX's own, read from its schema; a name that no version has is a
// programmer's mistake.

/// The opset that brought the operator.
std::int64_t opset_of(std::string_view op_type);
/// The first opset with the attribute.
std::int64_t opset_of_attribute(std::string_view op_type, std::string_view attribute);
/// The first opset without an attribute that earlier ones had.
std::int64_t opset_without_attribute(std::string_view op_type, std::string_view attribute);
/// The first opset with an input of that name.
std::int64_t opset_of_input(std::string_view op_type, std::string_view input);
/// The first opset at which that input may be left out.
std::int64_t opset_of_optional_input(std::string_view op_type, std::string_view input);
/// The first opset at which that input may be of the type.
std::int64_t opset_of_type(std::string_view op_type, std::string_view input, DataType type);

/// The opset from which on operands broadcast as numpy does; before, attributes said how.
std::int64_t opset_of_broadcasting();

}  // namespace ortool
