// Attributes that select an element type by ONNX's TensorProto.DataType number, such as dtype.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// The type given by attribute `name`, or nothing when the node omits it. Throws ErrorCode::invalid
/// for a number that is not a data type, or a type that the version's `type_parameter` does not
/// allow.
std::optional<DataType> read_element_type(AttributeReader& attributes, std::string_view name,
                                          std::string_view type_parameter);

/// Throws ErrorCode::invalid when `type` is known and not allowed by the version's
/// `type_parameter`; `what` describes the type in the message.
void check_element_type(const OpVersion& version, std::string_view type_parameter, DataType type,
                        std::string_view what);

}  // namespace ortool
