// NodeProto and AttributeProto, written.
#pragma once

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// A NodeProto under the number `field`, its subgraphs included.
void write_node(WriteContext& context, std::uint32_t field, const Node& node);

/// An AttributeProto under the number `field`.
void write_attribute(WriteContext& context, std::uint32_t field, const Attribute& attribute);

}  // namespace ortool::onnx
