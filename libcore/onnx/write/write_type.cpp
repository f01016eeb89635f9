// Writer for TypeProto, including nested types.
#include "libcore/onnx/write/write_type.hpp"

#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {
namespace {

void write_shape(WireWriter& writer, const Dimensions& dimensions, const TypeExtras* extras) {
  const bool has_denotations =
      extras != nullptr && extras->dimension_denotations.size() == dimensions.size();
  writer.begin_message(tensor_type_field::shape);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension& dimension = dimensions[i];
    writer.begin_message(shape_field::dim);
    if (dimension.is_known()) {
      writer.put_varint(dimension_field::dim_value, dimension.number());
    } else if (dimension.is_formula()) {
      writer.put_bytes(dimension_field::dim_param, dimension.to_string());
    }
    if (has_denotations && !extras->dimension_denotations[i].empty()) {
      writer.put_bytes(dimension_field::denotation, extras->dimension_denotations[i]);
    }
    writer.end_message();
  }
  writer.end_message();
}

void write_tensor_type(WireWriter& writer, const ValueType& type) {
  const bool is_sparse = type.kind == ValueType::Kind::sparse_tensor;
  writer.begin_message(is_sparse ? type_field::sparse_tensor_type : type_field::tensor_type);
  writer.put_varint(tensor_type_field::elem_type, static_cast<std::int64_t>(type.element));
  if (type.shape) write_shape(writer, *type.shape, type.extras.get());
  writer.end_message();
}

/// A sequence, optional or map; `inner_field` is the field number of the inner type.
void write_nested_type(WireWriter& writer, const ValueType& type, std::uint32_t field,
                       std::uint32_t inner_field) {
  writer.begin_message(field);
  if (type.kind == ValueType::Kind::map) {
    writer.put_varint(map_type_field::key_type, static_cast<std::int64_t>(type.element));
  }
  if (type.inner != nullptr) write_type(writer, inner_field, *type.inner);
  writer.end_message();
}

}  // namespace

void write_type_fields(WireWriter& writer, const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::tensor:
    case ValueType::Kind::sparse_tensor:
      write_tensor_type(writer, type);
      break;
    case ValueType::Kind::sequence:
      write_nested_type(writer, type, type_field::sequence_type, sequence_type_field::elem_type);
      break;
    case ValueType::Kind::optional:
      write_nested_type(writer, type, type_field::optional_type, sequence_type_field::elem_type);
      break;
    case ValueType::Kind::map:
      write_nested_type(writer, type, type_field::map_type, map_type_field::value_type);
      break;
    case ValueType::Kind::opaque:
      writer.begin_message(type_field::opaque_type);
      writer.end_message();
      break;
    case ValueType::Kind::unknown:
      break;
  }
  if (!type.denotation.empty()) writer.put_bytes(type_field::denotation, type.denotation);
}

void write_type(WireWriter& writer, std::uint32_t field, const ValueType& type) {
  if (type.extras != nullptr && type.extras->as_read == type) {
    writer.put_view(field, type.extras->bytes);
    return;
  }
  writer.begin_message(field);
  write_type_fields(writer, type);
  writer.end_message();
}

void write_value_info(WireWriter& writer, std::uint32_t field, std::string_view name,
                      const ValueType& type, FieldPresence present, const Notes& notes) {
  writer.begin_message(field);
  writer.put_text(value_info_field::name, name, present);
  const bool has_type = type.kind != ValueType::Kind::unknown || !type.denotation.empty() ||
                        type.extras != nullptr || present.has(value_info_field::type);
  if (has_type) write_type(writer, value_info_field::type, type);
  writer.put_text(value_info_field::doc_string, notes.doc_string, present);
  writer.put_entries(value_info_field::metadata_props, notes.metadata, notes.residue);
  writer.put_unknown(notes.residue);
  writer.end_message();
}

}  // namespace ortool::onnx
