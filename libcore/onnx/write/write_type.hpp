// Writer for TypeProto and ValueInfoProto.
#pragma once

#include "libcore/graph/node.hpp"
#include "libcore/onnx/field_presence.hpp"
#include "libcore/onnx/write/wire_writer.hpp"

namespace ortool::onnx {

/// Writes the fields of a TypeProto, from the type only.
void write_type_fields(WireWriter& writer, const ValueType& type);

/// Writes a TypeProto as field `field`: the file's original bytes while they describe the type.
void write_type(WireWriter& writer, std::uint32_t field, const ValueType& type);

/// Writes a ValueInfoProto as field `field`.
void write_value_info(WireWriter& writer, std::uint32_t field, std::string_view name,
                      const ValueType& type, FieldPresence present, const Notes& notes);

}  // namespace ortool::onnx
