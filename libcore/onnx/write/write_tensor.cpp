// Writer for TensorProto: unchanged from the file, or with its data stored elsewhere.
#include "libcore/onnx/write/write_tensor.hpp"

#include <algorithm>
#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/wire.hpp"

namespace ortool::onnx {
namespace {

enum class Place { as_it_came, inside, outside };

std::string_view name_in(const TensorOrigin& origin) {
  std::string_view name;
  const WireSource source{origin.message};
  WireReader reader(source, {origin.message, 0}, tensor_table);
  while (reader.next()) {
    if (reader.number() == tensor_field::name) name = reader.text();
  }
  return name;
}

Place place_of(const WriteContext& context, const Tensor& tensor) {
  const bool is_external = tensor.origin() != nullptr && tensor.origin()->is_external;
  const ExternalData wanted = context.options.external_data;
  if (is_external && context.keeps_references) return Place::as_it_came;
  const bool is_large = tensor.type() != DataType::string && tensor.size_bytes() > 0 &&
                        tensor.size_bytes() >= context.options.external_threshold_bytes;
  const bool moves = context.moves_large || (is_external && wanted != ExternalData::never);
  if (is_large && moves) return Place::outside;
  return is_external || tensor.origin() == nullptr ? Place::inside : Place::as_it_came;
}

bool is_data(std::uint32_t number) {
  using namespace tensor_field;
  constexpr std::uint32_t fields[] = {float_data, int32_data,    string_data,
                                      int64_data, double_data,   uint64_data,
                                      raw_data,   external_data, data_location};
  return std::find(std::begin(fields), std::end(fields), number) != std::end(fields);
}

/// Copies the fields of the tensor's message except its name and, if `drops_data`, its data.
void copy_fields(WireWriter& writer, const TensorOrigin& origin, bool drops_data) {
  Residue unknown;
  const WireSource source{origin.message};
  WireReader reader(source, {origin.message, 0}, tensor_table);
  reader.keep_unknown(unknown);
  while (reader.next()) {
    if (reader.number() == tensor_field::name) continue;
    if (!drops_data || !is_data(reader.number())) writer.put_fields(reader.field());
  }
  writer.put_unknown(unknown);
}

void put_entry(WireWriter& writer, std::string_view key, std::string_view value) {
  writer.begin_message(tensor_field::external_data);
  writer.put_bytes(entry_field::key, key);
  writer.put_bytes(entry_field::value, value);
  writer.end_message();
}

void put_data(WriteContext& context, const Tensor& tensor, Place place) {
  WireWriter& writer = context.writer;
  if (tensor.type() == DataType::string) {
    for (const std::string& text : tensor.strings()) {
      writer.put_bytes(tensor_field::string_data, text);
    }
    return;
  }
  const std::span<const std::byte> bytes(tensor.bytes(),
                                         static_cast<std::size_t>(tensor.size_bytes()));
  if (place == Place::inside) {
    writer.put_view(tensor_field::raw_data, bytes);
    return;
  }
  const std::int64_t offset = context.external_file.add(bytes);
  put_entry(writer, "location", context.external_file.name());
  put_entry(writer, "offset", std::to_string(offset));
  put_entry(writer, "length", std::to_string(bytes.size()));
  writer.put_varint(tensor_field::data_location, 1);
}

}  // namespace

void write_tensor(WriteContext& context, std::uint32_t field, const Tensor& tensor,
                  std::optional<std::string_view> name, const Notes* notes) {
  WireWriter& writer = context.writer;
  const TensorOrigin* origin = tensor.origin();
  const Place place = place_of(context, tensor);
  const std::string_view old_name = origin != nullptr ? name_in(*origin) : std::string_view();
  const std::string_view new_name = name.value_or(old_name);
  if (place == Place::as_it_came && new_name == old_name) {
    writer.put_view(field, origin->message);
    return;
  }
  if (origin != nullptr && origin->is_external && place != Place::as_it_came &&
      !context.has_external_data) {
    throw Error(ErrorCode::invalid, format("the data of tensor {} was not read", quote(new_name)),
                "load the model with its weights, or save it into the folder it came from")
        .with_id("save.unread_weights");
  }
  writer.begin_message(field);
  if (origin != nullptr) {
    copy_fields(writer, *origin, place != Place::as_it_came);
  } else {
    for (const std::int64_t dimension : tensor.shape()) {
      writer.put_varint(tensor_field::dims, dimension);
    }
    writer.put_varint(tensor_field::data_type, static_cast<std::int64_t>(tensor.type()));
    if (notes != nullptr) {
      writer.put_text(tensor_field::doc_string, notes->doc_string, {});
      writer.put_entries(tensor_field::metadata_props, notes->metadata, {});
    }
  }
  writer.put_text(tensor_field::name, new_name, {});
  if (place != Place::as_it_came) put_data(context, tensor, place);
  writer.end_message();
}

void write_sparse_tensor(WriteContext& context, std::uint32_t field, const SparseTensor& tensor,
                         std::optional<std::string_view> name) {
  WireWriter& writer = context.writer;
  const FieldPresence present = tensor.spelling;
  writer.begin_message(field);
  write_tensor(context, sparse_tensor_field::values, tensor.values, name);
  const bool has_indices = !present.has(FieldPresence::came_from_file) ||
                           tensor.indices.element_count() > 0 ||
                           present.has(sparse_tensor_field::indices);
  if (has_indices) write_tensor(context, sparse_tensor_field::indices, tensor.indices);
  for (const std::int64_t dimension : tensor.dimensions) {
    writer.put_varint(sparse_tensor_field::dims, dimension);
  }
  if (tensor.residue != nullptr) writer.put_unknown(*tensor.residue);
  writer.end_message();
}

}  // namespace ortool::onnx
