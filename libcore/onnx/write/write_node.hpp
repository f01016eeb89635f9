// Writer for NodeProto and AttributeProto.
#pragma once

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// Writes a NodeProto as field `field`, including its subgraphs.
void write_node(WriteContext& context, std::uint32_t field, const Node& node);

/// Writes an AttributeProto as field `field`.
void write_attribute(WriteContext& context, std::uint32_t field, const Attribute& attribute);

}  // namespace ortool::onnx
