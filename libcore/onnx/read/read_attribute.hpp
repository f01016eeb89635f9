// AttributeProto: one value of the declared kind.
#pragma once

#include "libcore/graph/attribute.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// An attribute whose graphs are still to be read.
struct AttributeWithGraphs {
  Attribute attribute;
  std::vector<Message> graphs;  ///< of the kinds graph and graphs, for which `value` is not set
  AttributeKind kind = AttributeKind::undefined;
};

/// Reads an attribute. One without a declared kind (IR version 1) has the kind of the field it
/// fills; one whose field is left out, as proto3 writers do for zero, has the value zero or empty.
/// Throws ErrorCode::invalid, "attribute.*", with the attribute's name in front.
AttributeWithGraphs read_attribute(LoadContext& context, Message message);

}  // namespace ortool::onnx
