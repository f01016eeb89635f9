// Attributes that name an element type by ONNX's number, such as dtype.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// The type that attribute `name` names, or nothing where the node leaves it out. Throws
/// ErrorCode::invalid for a number that is no type, or that the version's `type_parameter` does not
/// allow.
std::optional<DataType> read_element_type(AttributeReader& attributes, std::string_view name,
                                          std::string_view type_parameter);

/// Throws ErrorCode::invalid when `type` is known and the version's `type_parameter` does not allow
/// it; `what` says whose type it is.
void check_element_type(const OpVersion& version, std::string_view type_parameter, DataType type,
                        std::string_view what);

}  // namespace ortool
