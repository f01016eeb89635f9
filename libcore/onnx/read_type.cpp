// Types, nested as deep as messages may.
#include "libcore/onnx/read_type.hpp"

#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {
namespace {

DataType to_data_type(std::int64_t number) {
  const auto type = static_cast<std::int32_t>(number);
  if (type == 0 || is_known(type)) return static_cast<DataType>(type);
  throw Error(ErrorCode::unsupported, format("element type {} is not known", type),
              "export the model with a type listed by ONNX up to IR version 14")
      .with_id("type.element");
}

Dimension read_dimension(LoadContext& context, Message message) {
  Dimension dimension;
  WireReader reader(context.source, message, dimension_table);
  while (reader.next()) {
    if (reader.number() == dimension_field::dim_value) {
      const std::int64_t number = reader.integer();
      if (number < -1) {
        throw Error(ErrorCode::invalid, format("dimension {} is negative", number),
                    "export the model again; a dimension that varies has a name or no value")
            .with_id("type.dimension");
      }
      if (number == -1) context.warn("a dimension of -1 is taken as unknown");
      dimension = number == -1 ? Dimension() : Dimension(number);
    } else if (reader.number() == dimension_field::dim_param) {
      dimension =
          reader.text().empty() ? Dimension() : Dimension::symbol(std::string(reader.text()));
    }
  }
  return dimension;
}

Dimensions read_shape(LoadContext& context, Message message) {
  Dimensions dimensions;
  WireReader reader(context.source, message, shape_table);
  while (reader.next()) {
    if (dimensions.size() == static_cast<std::size_t>(Shape::most_dimensions)) {
      throw Error(ErrorCode::invalid,
                  format("the shape has more than {} dimensions", Shape::most_dimensions))
          .with_id("type.rank");
    }
    context.budget.take_bytes(sizeof(Dimension), "shapes");
    dimensions.push_back(read_dimension(context, reader.message()));
  }
  return dimensions;
}

ValueType read_tensor_type(LoadContext& context, Message message, ValueType::Kind kind) {
  ValueType type;
  type.kind = kind;
  WireReader reader(context.source, message, tensor_type_table);
  while (reader.next()) {
    if (reader.number() == tensor_type_field::elem_type) {
      type.element = to_data_type(reader.integer());
    } else {
      type.shape = read_shape(context, reader.message());
    }
  }
  return type;
}

/// Sequence, optional and map, whose inner type has the field number `inner_field`.
ValueType read_nested_type(LoadContext& context, Message message, ValueType::Kind kind,
                           const MessageTable& table, std::uint32_t inner_field) {
  ValueType type;
  type.kind = kind;
  WireReader reader(context.source, message, table);
  while (reader.next()) {
    if (reader.number() == inner_field) {
      context.budget.take_bytes(sizeof(ValueType), "types");
      type.inner = std::make_shared<const ValueType>(read_type(context, reader.message()));
    } else {
      type.element = to_data_type(reader.integer());
    }
  }
  return type;
}

}  // namespace

ValueType read_type(LoadContext& context, Message message) {
  using Kind = ValueType::Kind;
  ValueType type;
  std::string denotation;
  WireReader reader(context.source, message, type_table);
  while (reader.next()) {
    const Message inner = reader.message();
    switch (reader.number()) {
      case type_field::tensor_type:
        type = read_tensor_type(context, inner, Kind::tensor);
        break;
      case type_field::sparse_tensor_type:
        type = read_tensor_type(context, inner, Kind::sparse_tensor);
        break;
      case type_field::sequence_type:
        type = read_nested_type(context, inner, Kind::sequence, sequence_type_table,
                                sequence_type_field::elem_type);
        break;
      case type_field::optional_type:
        type = read_nested_type(context, inner, Kind::optional, sequence_type_table,
                                sequence_type_field::elem_type);
        break;
      case type_field::map_type:
        type =
            read_nested_type(context, inner, Kind::map, map_type_table, map_type_field::value_type);
        break;
      case type_field::opaque_type:
        type.kind = Kind::opaque;
        break;
      default:
        denotation = reader.text();
        break;
    }
  }
  type.denotation = std::move(denotation);
  return type;
}

ValueInfo read_value_info(LoadContext& context, Message message) {
  ValueInfo info;
  std::optional<Message> type;
  WireReader reader(context.source, message, value_info_table);
  while (reader.next()) {
    switch (reader.number()) {
      case value_info_field::name:
        info.name = reader.text();
        break;
      case value_info_field::type:
        type = reader.message();
        break;
      case value_info_field::doc_string:
        info.doc_string = reader.text();
        break;
      default:
        info.metadata.push_back(read_entry(context, reader.message()));
        break;
    }
  }
  try {
    if (type) info.type = read_type(context, *type);
  } catch (const Error& error) {
    throw prefixed(error, "value " + quote(info.name), "type.value");
  }
  return info;
}

}  // namespace ortool::onnx
