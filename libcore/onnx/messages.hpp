// Field numbers and field tables of ONNX's protobuf messages, up to IR version 13.
#pragma once

#include <cstdint>

#include "libcore/onnx/wire.hpp"

namespace ortool::onnx {

namespace model_field {
enum : std::uint32_t {
  ir_version = 1,
  producer_name = 2,
  producer_version = 3,
  domain = 4,
  model_version = 5,
  doc_string = 6,
  graph = 7,
  opset_import = 8,
  metadata_props = 14,
  training_info = 20,
  functions = 25,
  configuration = 26,
};
}

namespace graph_field {
enum : std::uint32_t {
  node = 1,
  name = 2,
  initializer = 5,
  doc_string = 10,
  input = 11,
  output = 12,
  value_info = 13,
  quantization_annotation = 14,
  sparse_initializer = 15,
  metadata_props = 16,
};
}

namespace node_field {
enum : std::uint32_t {
  input = 1,
  output = 2,
  name = 3,
  op_type = 4,
  attribute = 5,
  doc_string = 6,
  domain = 7,
  overload = 8,
  metadata_props = 9,
  device_configurations = 10,
};
}

namespace attribute_field {
enum : std::uint32_t {
  name = 1,
  f = 2,
  i = 3,
  s = 4,
  t = 5,
  g = 6,
  floats = 7,
  ints = 8,
  strings = 9,
  tensors = 10,
  graphs = 11,
  doc_string = 13,
  tp = 14,
  type_protos = 15,
  type = 20,
  ref_attr_name = 21,
  sparse_tensor = 22,
  sparse_tensors = 23,
};
}

namespace tensor_field {
enum : std::uint32_t {
  dims = 1,
  data_type = 2,
  segment = 3,
  float_data = 4,
  int32_data = 5,
  string_data = 6,
  int64_data = 7,
  name = 8,
  raw_data = 9,
  double_data = 10,
  uint64_data = 11,
  doc_string = 12,
  external_data = 13,
  data_location = 14,
  metadata_props = 16,
};
}

/// TensorProto.Segment.
namespace segment_field {
enum : std::uint32_t { begin = 1, end = 2 };
}

namespace sparse_tensor_field {
enum : std::uint32_t { values = 1, indices = 2, dims = 3 };
}

namespace value_info_field {
enum : std::uint32_t { name = 1, type = 2, doc_string = 3, metadata_props = 4 };
}

namespace type_field {
enum : std::uint32_t {
  tensor_type = 1,
  sequence_type = 4,
  map_type = 5,
  denotation = 6,
  opaque_type = 7,
  sparse_tensor_type = 8,
  optional_type = 9,
};
}

/// TypeProto.Tensor and TypeProto.SparseTensor.
namespace tensor_type_field {
enum : std::uint32_t { elem_type = 1, shape = 2 };
}

/// TypeProto.Sequence and TypeProto.Optional.
namespace sequence_type_field {
enum : std::uint32_t { elem_type = 1 };
}

namespace map_type_field {
enum : std::uint32_t { key_type = 1, value_type = 2 };
}

namespace shape_field {
enum : std::uint32_t { dim = 1 };
}

namespace dimension_field {
enum : std::uint32_t { dim_value = 1, dim_param = 2, denotation = 3 };
}

/// TypeProto.Opaque.
namespace opaque_type_field {
enum : std::uint32_t { domain = 1, name = 2 };
}

/// StringStringEntryProto.
namespace entry_field {
enum : std::uint32_t { key = 1, value = 2 };
}

namespace opset_field {
enum : std::uint32_t { domain = 1, version = 2 };
}

namespace annotation_field {
enum : std::uint32_t { tensor_name = 1, quant_parameter_tensor_names = 2 };
}

namespace function_field {
enum : std::uint32_t {
  name = 1,
  input = 4,
  output = 5,
  attribute = 6,
  node = 7,
  doc_string = 8,
  opset_import = 9,
  domain = 10,
  attribute_proto = 11,
  value_info = 12,
  overload = 13,
  metadata_props = 14,
};
}

// Messages for values in files of their own (onnx-data.proto).
namespace sequence_field {
enum : std::uint32_t {
  name = 1,
  elem_type = 2,
  tensor_values = 3,
  sparse_tensor_values = 4,
  sequence_values = 5,
  map_values = 6,
  optional_values = 7,
};
}

namespace map_field {
enum : std::uint32_t { name = 1, key_type = 2, keys = 3, string_keys = 4, values = 5 };
}

namespace optional_field {
enum : std::uint32_t {
  name = 1,
  elem_type = 2,
  tensor_value = 3,
  sparse_tensor_value = 4,
  sequence_value = 5,
  map_value = 6,
  optional_value = 7,
};
}

/// SequenceProto.elem_type and OptionalProto.elem_type.
namespace element_kind {
enum : std::uint32_t {
  undefined = 0,
  tensor = 1,
  sparse_tensor = 2,
  sequence = 3,
  map = 4,
  optional = 5,
};
}

extern const MessageTable model_table;
extern const MessageTable graph_table;
extern const MessageTable node_table;
extern const MessageTable attribute_table;
extern const MessageTable tensor_table;
extern const MessageTable segment_table;
extern const MessageTable sparse_tensor_table;
extern const MessageTable value_info_table;
extern const MessageTable type_table;
extern const MessageTable tensor_type_table;
extern const MessageTable sequence_type_table;
extern const MessageTable map_type_table;
extern const MessageTable opaque_type_table;
extern const MessageTable shape_table;
extern const MessageTable dimension_table;
extern const MessageTable entry_table;
extern const MessageTable opset_table;
extern const MessageTable annotation_table;
extern const MessageTable function_table;
extern const MessageTable sequence_table;
extern const MessageTable map_table;
extern const MessageTable optional_table;

}  // namespace ortool::onnx
