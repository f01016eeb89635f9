// Reader for AttributeProto: collects all fields, then selects the value by the declared kind.
#include "libcore/onnx/read/read_attribute.hpp"

#include <bit>
#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_tensor.hpp"
#include "libcore/onnx/read/read_type.hpp"

namespace ortool::onnx {
namespace {

/// The fields in file order.
struct AttributeParts {
  std::int64_t declared_kind = 0;
  std::uint32_t filled = 0;  ///< one bit for each kind whose field was present
  float f = 0.0F;
  std::int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  std::vector<Message> tensors;
  std::vector<Message> graphs;
  std::vector<Message> sparse_tensors;
  std::vector<Message> types;

  void fill(AttributeKind kind) { filled |= std::uint32_t{1} << static_cast<unsigned>(kind); }
  bool has(AttributeKind kind) const { return (filled >> static_cast<unsigned>(kind) & 1) != 0; }
};

/// The kind that a value field belongs to; undefined for other fields.
AttributeKind kind_of_field(std::uint32_t number) {
  switch (number) {
    case attribute_field::f:
      return AttributeKind::float_number;
    case attribute_field::i:
      return AttributeKind::integer;
    case attribute_field::s:
      return AttributeKind::string;
    case attribute_field::t:
      return AttributeKind::tensor;
    case attribute_field::g:
      return AttributeKind::graph;
    case attribute_field::floats:
      return AttributeKind::floats;
    case attribute_field::ints:
      return AttributeKind::integers;
    case attribute_field::strings:
      return AttributeKind::strings;
    case attribute_field::tensors:
      return AttributeKind::tensors;
    case attribute_field::graphs:
      return AttributeKind::graphs;
    case attribute_field::sparse_tensor:
      return AttributeKind::sparse_tensor;
    case attribute_field::sparse_tensors:
      return AttributeKind::sparse_tensors;
    case attribute_field::tp:
      return AttributeKind::type;
    case attribute_field::type_protos:
      return AttributeKind::types;
    default:
      return AttributeKind::undefined;
  }
}

void read_value_field(LoadContext& context, const WireReader& reader, AttributeParts& parts) {
  switch (reader.number()) {
    case attribute_field::f:
      parts.f = reader.float_number();
      break;
    case attribute_field::i:
      parts.i = reader.integer();
      break;
    case attribute_field::s:
      parts.s = reader.text();
      break;
    case attribute_field::floats:
      context.budget.take_bytes(reader.count_numbers() * 4, "attributes");
      reader.each_number([&](std::uint64_t bits) {
        parts.floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      });
      break;
    case attribute_field::ints:
      context.budget.take_bytes(reader.count_numbers() * 8, "attributes");
      reader.each_number(
          [&](std::uint64_t bits) { parts.ints.push_back(static_cast<std::int64_t>(bits)); });
      break;
    case attribute_field::strings:
      context.budget.take_bytes(sizeof(std::string), "attributes");
      parts.strings.emplace_back(reader.text());
      break;
    case attribute_field::t:
    case attribute_field::tensors:
      parts.tensors.push_back(reader.message());
      break;
    case attribute_field::g:
    case attribute_field::graphs:
      parts.graphs.push_back(reader.message());
      break;
    case attribute_field::sparse_tensor:
    case attribute_field::sparse_tensors:
      parts.sparse_tensors.push_back(reader.message());
      break;
    default:
      parts.types.push_back(reader.message());
      break;
  }
}

/// The declared kind, or the one whose field is present.
AttributeKind kind_of(const AttributeParts& parts) {
  if (parts.declared_kind < 0 || parts.declared_kind > 14) {
    throw damaged(format("attribute type {} does not exist", parts.declared_kind),
                  "attribute.kind");
  }
  if (parts.declared_kind != 0) return static_cast<AttributeKind>(parts.declared_kind);
  if (std::popcount(parts.filled) != 1) {
    throw damaged("has no type, and none follows from its value", "attribute.kind");
  }
  return static_cast<AttributeKind>(std::countr_zero(parts.filled));
}

/// The single message of a kind that requires one.
Message only(const std::vector<Message>& messages, AttributeKind kind) {
  if (messages.size() == 1) return messages.front();
  throw damaged(format("has the type {} and {} values of it", name_of(kind), messages.size()),
                "attribute.kind");
}

Attribute::Value to_value(LoadContext& context, AttributeParts& parts, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::float_number:
      return parts.f;
    case AttributeKind::integer:
      return parts.i;
    case AttributeKind::string:
      return std::string(parts.s);
    case AttributeKind::floats:
      return std::move(parts.floats);
    case AttributeKind::integers:
      return std::move(parts.ints);
    case AttributeKind::strings:
      return std::move(parts.strings);
    case AttributeKind::tensor:
      return read_tensor(context, only(parts.tensors, kind)).tensor;
    case AttributeKind::sparse_tensor:
      return read_sparse_tensor(context, only(parts.sparse_tensors, kind));
    case AttributeKind::type:
      return read_type(context, only(parts.types, kind));
    case AttributeKind::tensors: {
      std::vector<Tensor> tensors;
      for (const Message message : parts.tensors) {
        context.budget.take_bytes(sizeof(Tensor), "attributes");
        tensors.push_back(read_tensor(context, message).tensor);
      }
      return tensors;
    }
    case AttributeKind::sparse_tensors: {
      std::vector<SparseTensor> tensors;
      for (const Message message : parts.sparse_tensors) {
        context.budget.take_bytes(sizeof(SparseTensor), "attributes");
        tensors.push_back(read_sparse_tensor(context, message));
      }
      return tensors;
    }
    case AttributeKind::types: {
      std::vector<ValueType> types;
      for (const Message message : parts.types) {
        context.budget.take_bytes(sizeof(ValueType), "attributes");
        types.push_back(read_type(context, message));
      }
      return types;
    }
    default:
      return std::monostate();
  }
}

/// Values of other kinds than the declared one are ignored but preserved.
void keep_other_values(LoadContext& context, Message message, const AttributeWithGraphs& result,
                       Residue& residue) {
  WireReader reader(context.source, message, attribute_table);
  while (reader.next()) {
    const AttributeKind kind = kind_of_field(reader.number());
    if (kind == AttributeKind::undefined || kind == result.kind) continue;
    context.budget.take_bytes(sizeof(reader.field()), "attributes");
    residue.unknown_fields.push_back(reader.field());
  }
}

void finish(LoadContext& context, AttributeParts& parts, AttributeWithGraphs& result) {
  Attribute& attribute = result.attribute;
  if (attribute.name.empty()) throw damaged("has no name", "attribute.name");
  if (!attribute.reference.empty()) {
    if (parts.filled != 0) {
      throw damaged("has both a value and a reference to a function attribute",
                    "attribute.reference");
    }
    attribute.reference_kind = kind_of(parts);
    return;
  }
  result.kind = kind_of(parts);
  if (parts.filled != 0 && !parts.has(result.kind)) {
    const auto found = static_cast<AttributeKind>(std::countr_zero(parts.filled));
    throw damaged(format("has the type {} but holds {}", name_of(result.kind), name_of(found)),
                  "attribute.kind");
  }
  constexpr std::pair<AttributeKind, AttributeKind> one_and_many[] = {
      {AttributeKind::tensor, AttributeKind::tensors},
      {AttributeKind::graph, AttributeKind::graphs},
      {AttributeKind::sparse_tensor, AttributeKind::sparse_tensors},
      {AttributeKind::type, AttributeKind::types}};
  for (const auto& [one, many] : one_and_many) {
    if (!parts.has(one) || !parts.has(many)) continue;
    throw damaged(format("holds {} and {} at the same time", name_of(one), name_of(many)),
                  "attribute.kind");
  }
  if (result.kind == AttributeKind::graph) only(parts.graphs, result.kind);
  if (result.kind == AttributeKind::graph || result.kind == AttributeKind::graphs) {
    result.graphs = std::move(parts.graphs);
    return;
  }
  attribute.value = to_value(context, parts, result.kind);
}

}  // namespace

AttributeWithGraphs read_attribute(LoadContext& context, Message message) {
  context.budget.take_bytes(sizeof(Attribute), "attributes");
  AttributeWithGraphs result;
  AttributeParts parts;
  Notes notes;
  WireReader reader(context.source, message, attribute_table);
  reader.keep_unknown(notes.residue);
  while (reader.next()) {
    const AttributeKind kind = kind_of_field(reader.number());
    if (kind != AttributeKind::undefined) {
      parts.fill(kind);
      read_value_field(context, reader, parts);
    } else if (reader.number() == attribute_field::name) {
      result.attribute.name = reader.text();
    } else if (reader.number() == attribute_field::type) {
      parts.declared_kind = reader.integer();
    } else if (reader.number() == attribute_field::ref_attr_name) {
      result.attribute.reference = reader.text();
    } else {
      notes.doc_string = reader.text();
    }
  }
  result.attribute.spelling = reader.present_fields();
  try {
    finish(context, parts, result);
    if (std::popcount(parts.filled) > 1) keep_other_values(context, message, result, notes.residue);
    result.attribute.notes = to_pointer(context, std::move(notes));
  } catch (const Error& error) {
    throw prefixed(error, "attribute " + quote(result.attribute.name), "attribute.value");
  }
  return result;
}

}  // namespace ortool::onnx
