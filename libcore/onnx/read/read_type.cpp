// Reader for TypeProto, nested as deep as messages may be.
#include "libcore/onnx/read/read_type.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/write/write_type.hpp"

namespace ortool::onnx {
namespace {

DataType to_data_type(std::int64_t number) {
  const auto type = static_cast<std::int32_t>(number);
  if (type == 0 || is_known(type)) return static_cast<DataType>(type);
  throw Error(ErrorCode::unsupported, format("element type {} is unknown", type),
              "export the model with a type listed by ONNX up to IR version 14")
      .with_id("type.element");
}

/// Additional data that is collected while reading one type.
struct TypeSides {
  std::vector<std::string> denotations;  ///< for the outermost type's dimensions
};

ValueType read_fields(LoadContext& context, Message message, TypeSides* sides);

Dimension read_dimension(LoadContext& context, Message message, std::string& denotation) {
  Dimension dimension;
  WireReader reader(context.source, message, dimension_table);
  while (reader.next()) {
    if (reader.number() == dimension_field::dim_value) {
      const std::int64_t number = reader.integer();
      if (number < -1) {
        throw Error(ErrorCode::invalid, format("dimension {} is negative", number),
                    "export the model again; a variable dimension has a name or no value")
            .with_id("type.dimension");
      }
      if (number == -1) context.warn("a dimension of -1 is treated as unknown");
      dimension = number == -1 ? Dimension() : Dimension(number);
    } else if (reader.number() == dimension_field::dim_param) {
      dimension =
          reader.text().empty() ? Dimension() : Dimension::symbol(std::string(reader.text()));
    } else {
      denotation = reader.text();
    }
  }
  return dimension;
}

Dimensions read_shape(LoadContext& context, Message message, TypeSides* sides) {
  Dimensions dimensions;
  WireReader reader(context.source, message, shape_table);
  while (reader.next()) {
    if (dimensions.size() == static_cast<std::size_t>(Shape::max_dimensions)) {
      throw Error(ErrorCode::invalid,
                  format("the shape has more than {} dimensions", Shape::max_dimensions))
          .with_id("type.rank");
    }
    context.budget.take_bytes(sizeof(Dimension), "shapes");
    std::string denotation;
    dimensions.push_back(read_dimension(context, reader.message(), denotation));
    if (sides == nullptr || (denotation.empty() && sides->denotations.empty())) continue;
    context.budget.take_bytes(sizeof(std::string), "shapes");
    sides->denotations.resize(dimensions.size());
    sides->denotations.back() = std::move(denotation);
  }
  return dimensions;
}

ValueType read_tensor_type(LoadContext& context, Message message, ValueType::Kind kind,
                           TypeSides* sides) {
  ValueType type;
  type.kind = kind;
  WireReader reader(context.source, message, tensor_type_table);
  while (reader.next()) {
    if (reader.number() == tensor_type_field::elem_type) {
      type.element = to_data_type(reader.integer());
    } else {
      type.shape = read_shape(context, reader.message(), sides);
    }
  }
  return type;
}

/// A sequence, optional or map, whose inner type has the field number `inner_field`.
ValueType read_nested_type(LoadContext& context, Message message, ValueType::Kind kind,
                           const MessageTable& table, std::uint32_t inner_field) {
  ValueType type;
  type.kind = kind;
  WireReader reader(context.source, message, table);
  while (reader.next()) {
    if (reader.number() == inner_field) {
      // This type and the inner one, each in a shared allocation.
      context.budget.take_bytes(2 * sizeof(ValueType) + 64, "types");
      type.inner =
          std::make_shared<const ValueType>(read_fields(context, reader.message(), nullptr));
    } else {
      type.element = to_data_type(reader.integer());
    }
  }
  return type;
}

void check_opaque_type(LoadContext& context, Message message) {
  WireReader reader(context.source, message, opaque_type_table);
  while (reader.next()) continue;
}

ValueType read_fields(LoadContext& context, Message message, TypeSides* sides) {
  using Kind = ValueType::Kind;
  ValueType type;
  std::string denotation;
  WireReader reader(context.source, message, type_table);
  while (reader.next()) {
    const Message inner = reader.message();
    switch (reader.number()) {
      case type_field::tensor_type:
        type = read_tensor_type(context, inner, Kind::tensor, sides);
        break;
      case type_field::sparse_tensor_type:
        type = read_tensor_type(context, inner, Kind::sparse_tensor, sides);
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
        check_opaque_type(context, inner);
        type = ValueType();
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

/// Whether writing the type reproduces exactly the bytes of `message`.
bool can_be_rebuilt(const ValueType& type, Message message) {
  WireWriter writer;
  write_type_fields(writer, type);
  const std::string_view text = writer.text();
  return text.size() == message.bytes.size() &&
         std::memcmp(text.data(), message.bytes.data(), text.size()) == 0;
}

}  // namespace

ValueType read_type(LoadContext& context, Message message) {
  TypeSides sides;
  ValueType type = read_fields(context, message, &sides);
  if (can_be_rebuilt(type, message)) return type;
  context.budget.take_bytes(sizeof(TypeExtras) + 32, "types");
  sides.denotations.resize(sides.denotations.empty() || !type.shape ? 0 : type.shape->size());
  type.extras = std::make_shared<const TypeExtras>(
      TypeExtras{std::move(sides.denotations), type, message.bytes});
  return type;
}

std::string_view read_value_name(LoadContext& context, Message message) {
  std::string_view name;
  WireReader reader(context.source, message, value_info_table);
  while (reader.next()) {
    if (reader.number() == value_info_field::name) name = reader.text();
  }
  return name;
}

ValueInfo read_value_info(LoadContext& context, Message message) {
  ValueInfo info;
  std::optional<Message> type;
  WireReader reader(context.source, message, value_info_table);
  reader.keep_unknown(info.notes.residue);
  while (reader.next()) {
    switch (reader.number()) {
      case value_info_field::name:
        info.name = reader.text();
        break;
      case value_info_field::type:
        type = reader.message();
        break;
      case value_info_field::doc_string:
        info.notes.doc_string = reader.text();
        break;
      default:
        info.notes.metadata.push_back(read_entry(context, reader.message(), info.notes.residue));
        break;
    }
  }
  info.spelling = reader.present_fields();
  try {
    if (type) info.type = read_type(context, *type);
  } catch (const Error& error) {
    throw prefixed(error, "value " + quote(info.name), "type.value");
  }
  return info;
}

}  // namespace ortool::onnx
