// TypeProto and ValueInfoProto, written.
#pragma once

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/write/wire_writer.hpp"

namespace ortool::onnx {

/// The fields of a TypeProto, from the type alone.
void write_type_fields(WireWriter& writer, const ValueType& type);

/// A TypeProto under the number `field`: the file's own bytes while the type is what they say.
void write_type(WireWriter& writer, std::uint32_t field, const ValueType& type);

/// A ValueInfoProto under the number `field`.
void write_value_info(WireWriter& writer, std::uint32_t field, std::string_view name,
                      const ValueType& type, FieldPresence present, const Notes& notes);

}  // namespace ortool::onnx
