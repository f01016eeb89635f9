// Reader for TypeProto and ValueInfoProto.
#pragma once

#include <string_view>

#include "libcore/graph/node.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// A dimension of -1, which some exporters write, becomes unknown, with a warning. Throws
/// ErrorCode::unsupported for an unknown element type, ErrorCode::invalid for a negative dimension.
ValueType read_type(LoadContext& context, Message message);

struct ValueInfo {
  std::string_view name;  ///< view of the file
  ValueType type;
  SourceFormat spelling = SourceFormat::not_from_file;
  Notes notes;
};

/// Errors start with the value's name.
ValueInfo read_value_info(LoadContext& context, Message message);
/// Reads only the name.
std::string_view read_value_name(LoadContext& context, Message message);

}  // namespace ortool::onnx
