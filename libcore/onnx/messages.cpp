// Field tables of ONNX's protobuf messages, in the order of the format's definition.
#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {
namespace {

using enum FieldKind;

constexpr FieldRow model_rows[] = {
    {model_field::ir_version, "ir_version", varint, false},
    {model_field::producer_name, "producer_name", bytes, false},
    {model_field::producer_version, "producer_version", bytes, false},
    {model_field::domain, "domain", bytes, false},
    {model_field::model_version, "model_version", varint, false},
    {model_field::doc_string, "doc_string", bytes, false},
    {model_field::graph, "graph", message, false},
    {model_field::opset_import, "opset_import", message, true},
    {model_field::metadata_props, "metadata_props", message, true},
    {model_field::training_info, "training_info", message, true},
    {model_field::functions, "functions", message, true},
    {model_field::configuration, "configuration", message, true},
};

constexpr FieldRow graph_rows[] = {
    {graph_field::node, "node", message, true},
    {graph_field::name, "name", bytes, false},
    {graph_field::initializer, "initializer", message, true},
    {graph_field::doc_string, "doc_string", bytes, false},
    {graph_field::input, "input", message, true},
    {graph_field::output, "output", message, true},
    {graph_field::value_info, "value_info", message, true},
    {graph_field::quantization_annotation, "quantization_annotation", message, true},
    {graph_field::sparse_initializer, "sparse_initializer", message, true},
    {graph_field::metadata_props, "metadata_props", message, true},
};

constexpr FieldRow node_rows[] = {
    {node_field::input, "input", bytes, true},
    {node_field::output, "output", bytes, true},
    {node_field::name, "name", bytes, false},
    {node_field::op_type, "op_type", bytes, false},
    {node_field::attribute, "attribute", message, true},
    {node_field::doc_string, "doc_string", bytes, false},
    {node_field::domain, "domain", bytes, false},
    {node_field::overload, "overload", bytes, false},
    {node_field::metadata_props, "metadata_props", message, true},
    {node_field::device_configurations, "device_configurations", message, true},
};

constexpr FieldRow attribute_rows[] = {
    {attribute_field::name, "name", bytes, false},
    {attribute_field::f, "f", fixed32, false},
    {attribute_field::i, "i", varint, false},
    {attribute_field::s, "s", bytes, false},
    {attribute_field::t, "t", message, false},
    {attribute_field::g, "g", message, false},
    {attribute_field::floats, "floats", fixed32, true},
    {attribute_field::ints, "ints", varint, true},
    {attribute_field::strings, "strings", bytes, true},
    {attribute_field::tensors, "tensors", message, true},
    {attribute_field::graphs, "graphs", message, true},
    {attribute_field::doc_string, "doc_string", bytes, false},
    {attribute_field::tp, "tp", message, false},
    {attribute_field::type_protos, "type_protos", message, true},
    {attribute_field::type, "type", varint, false},
    {attribute_field::ref_attr_name, "ref_attr_name", bytes, false},
    {attribute_field::sparse_tensor, "sparse_tensor", message, false},
    {attribute_field::sparse_tensors, "sparse_tensors", message, true},
};

constexpr FieldRow tensor_rows[] = {
    {tensor_field::dims, "dims", varint, true},
    {tensor_field::data_type, "data_type", varint, false},
    {tensor_field::segment, "segment", message, false},
    {tensor_field::float_data, "float_data", fixed32, true},
    {tensor_field::int32_data, "int32_data", varint, true},
    {tensor_field::string_data, "string_data", bytes, true},
    {tensor_field::int64_data, "int64_data", varint, true},
    {tensor_field::name, "name", bytes, false},
    {tensor_field::raw_data, "raw_data", bytes, false},
    {tensor_field::double_data, "double_data", fixed64, true},
    {tensor_field::uint64_data, "uint64_data", varint, true},
    {tensor_field::doc_string, "doc_string", bytes, false},
    {tensor_field::external_data, "external_data", message, true},
    {tensor_field::data_location, "data_location", varint, false},
    {tensor_field::metadata_props, "metadata_props", message, true},
};

constexpr FieldRow segment_rows[] = {
    {segment_field::begin, "begin", varint, false},
    {segment_field::end, "end", varint, false},
};

constexpr FieldRow sparse_tensor_rows[] = {
    {sparse_tensor_field::values, "values", message, false},
    {sparse_tensor_field::indices, "indices", message, false},
    {sparse_tensor_field::dims, "dims", varint, true},
};

constexpr FieldRow value_info_rows[] = {
    {value_info_field::name, "name", bytes, false},
    {value_info_field::type, "type", message, false},
    {value_info_field::doc_string, "doc_string", bytes, false},
    {value_info_field::metadata_props, "metadata_props", message, true},
};

constexpr FieldRow type_rows[] = {
    {type_field::tensor_type, "tensor_type", message, false},
    {type_field::sequence_type, "sequence_type", message, false},
    {type_field::map_type, "map_type", message, false},
    {type_field::denotation, "denotation", bytes, false},
    {type_field::opaque_type, "opaque_type", message, false},
    {type_field::sparse_tensor_type, "sparse_tensor_type", message, false},
    {type_field::optional_type, "optional_type", message, false},
};

constexpr FieldRow tensor_type_rows[] = {
    {tensor_type_field::elem_type, "elem_type", varint, false},
    {tensor_type_field::shape, "shape", message, false},
};

constexpr FieldRow sequence_type_rows[] = {
    {sequence_type_field::elem_type, "elem_type", message, false},
};

constexpr FieldRow map_type_rows[] = {
    {map_type_field::key_type, "key_type", varint, false},
    {map_type_field::value_type, "value_type", message, false},
};

constexpr FieldRow opaque_type_rows[] = {
    {opaque_type_field::domain, "domain", bytes, false},
    {opaque_type_field::name, "name", bytes, false},
};

constexpr FieldRow shape_rows[] = {
    {shape_field::dim, "dim", message, true},
};

constexpr FieldRow dimension_rows[] = {
    {dimension_field::dim_value, "dim_value", varint, false},
    {dimension_field::dim_param, "dim_param", bytes, false},
    {dimension_field::denotation, "denotation", bytes, false},
};

constexpr FieldRow entry_rows[] = {
    {entry_field::key, "key", bytes, false},
    {entry_field::value, "value", bytes, false},
};

constexpr FieldRow opset_rows[] = {
    {opset_field::domain, "domain", bytes, false},
    {opset_field::version, "version", varint, false},
};

constexpr FieldRow annotation_rows[] = {
    {annotation_field::tensor_name, "tensor_name", bytes, false},
    {annotation_field::quant_parameter_tensor_names, "quant_parameter_tensor_names", message, true},
};

constexpr FieldRow function_rows[] = {
    {function_field::name, "name", bytes, false},
    {function_field::input, "input", bytes, true},
    {function_field::output, "output", bytes, true},
    {function_field::attribute, "attribute", bytes, true},
    {function_field::node, "node", message, true},
    {function_field::doc_string, "doc_string", bytes, false},
    {function_field::opset_import, "opset_import", message, true},
    {function_field::domain, "domain", bytes, false},
    {function_field::attribute_proto, "attribute_proto", message, true},
    {function_field::value_info, "value_info", message, true},
    {function_field::overload, "overload", bytes, false},
    {function_field::metadata_props, "metadata_props", message, true},
};

constexpr FieldRow sequence_rows[] = {
    {sequence_field::name, "name", bytes, false},
    {sequence_field::elem_type, "elem_type", varint, false},
    {sequence_field::tensor_values, "tensor_values", message, true},
    {sequence_field::sparse_tensor_values, "sparse_tensor_values", message, true},
    {sequence_field::sequence_values, "sequence_values", message, true},
    {sequence_field::map_values, "map_values", message, true},
    {sequence_field::optional_values, "optional_values", message, true},
};

constexpr FieldRow map_rows[] = {
    {map_field::name, "name", bytes, false},
    {map_field::key_type, "key_type", varint, false},
    {map_field::keys, "keys", varint, true},
    {map_field::string_keys, "string_keys", bytes, true},
    {map_field::values, "values", message, false},
};

constexpr FieldRow optional_rows[] = {
    {optional_field::name, "name", bytes, false},
    {optional_field::elem_type, "elem_type", varint, false},
    {optional_field::tensor_value, "tensor_value", message, false},
    {optional_field::sparse_tensor_value, "sparse_tensor_value", message, false},
    {optional_field::sequence_value, "sequence_value", message, false},
    {optional_field::map_value, "map_value", message, false},
    {optional_field::optional_value, "optional_value", message, false},
};

}  // namespace

constinit const MessageTable model_table{"ModelProto", model_rows};
constinit const MessageTable graph_table{"GraphProto", graph_rows};
constinit const MessageTable node_table{"NodeProto", node_rows};
constinit const MessageTable attribute_table{"AttributeProto", attribute_rows};
constinit const MessageTable tensor_table{"TensorProto", tensor_rows};
constinit const MessageTable segment_table{"TensorProto.Segment", segment_rows};
constinit const MessageTable sparse_tensor_table{"SparseTensorProto", sparse_tensor_rows};
constinit const MessageTable value_info_table{"ValueInfoProto", value_info_rows};
constinit const MessageTable type_table{"TypeProto", type_rows};
constinit const MessageTable tensor_type_table{"TypeProto.Tensor", tensor_type_rows};
constinit const MessageTable sequence_type_table{"TypeProto.Sequence", sequence_type_rows};
constinit const MessageTable map_type_table{"TypeProto.Map", map_type_rows};
constinit const MessageTable opaque_type_table{"TypeProto.Opaque", opaque_type_rows};
constinit const MessageTable shape_table{"TensorShapeProto", shape_rows};
constinit const MessageTable dimension_table{"TensorShapeProto.Dimension", dimension_rows};
constinit const MessageTable entry_table{"StringStringEntryProto", entry_rows};
constinit const MessageTable opset_table{"OperatorSetIdProto", opset_rows};
constinit const MessageTable annotation_table{"TensorAnnotation", annotation_rows};
constinit const MessageTable function_table{"FunctionProto", function_rows};
constinit const MessageTable sequence_table{"SequenceProto", sequence_rows};
constinit const MessageTable map_table{"MapProto", map_rows};
constinit const MessageTable optional_table{"OptionalProto", optional_rows};

}  // namespace ortool::onnx
