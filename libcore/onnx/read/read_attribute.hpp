// Reader for AttributeProto, with one value of the declared kind.
#pragma once

#include "libcore/graph/attribute.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// An attribute whose graphs have not been read yet.
struct AttributeWithGraphs {
  Attribute attribute;
  std::vector<Message> graphs;  ///< for the kinds graph and graphs, where `value` is not set
  AttributeKind kind = AttributeKind::undefined;
};

/// Reads an attribute. Without a declared kind (IR version 1), the kind follows from the field that
/// is present. If the value field is omitted, as proto3 writers do for zero, the value is zero or
/// empty. Throws ErrorCode::invalid, "attribute.*", starting with the attribute's name.
AttributeWithGraphs read_attribute(LoadContext& context, Message message);

}  // namespace ortool::onnx
