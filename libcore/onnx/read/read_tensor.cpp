// Reader for TensorProto: a first pass finds shape and data, a second one decodes data that is not
// raw.
#include "libcore/onnx/read/read_tensor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/tensor/packed.hpp"

namespace ortool::onnx {
namespace {

/// Views up to this size are copied to aligned memory, which is cheap and simplifies their use.
constexpr std::int64_t small_bytes = 4096;

/// The result of the first pass.
struct TensorParts {
  std::vector<std::int64_t> dims;
  std::int32_t type = 0;
  std::optional<std::span<const std::byte>> raw;
  std::int64_t counts[16] = {};           ///< values in each data field, by field number
  std::span<const std::byte> only_piece;  ///< bytes of the data field if it is packed in one piece
  std::int64_t pieces = 0;
  std::optional<Message> segment;
  bool is_external = false;
  Metadata external_data;
};

bool is_data_field(std::uint32_t number) {
  using namespace tensor_field;
  return number == float_data || number == int32_data || number == string_data ||
         number == int64_data || number == double_data || number == uint64_data;
}

std::string_view name_of_field(std::uint32_t number) {
  for (const FieldRow& row : tensor_table.rows) {
    if (row.number == number) return row.name;
  }
  return "";
}

/// The data field for elements of a type that are not raw.
std::uint32_t data_field_of(DataType type) {
  switch (type) {
    case DataType::float32:
    case DataType::complex64:
      return tensor_field::float_data;
    case DataType::float64:
    case DataType::complex128:
      return tensor_field::double_data;
    case DataType::int64:
      return tensor_field::int64_data;
    case DataType::uint32:
    case DataType::uint64:
      return tensor_field::uint64_data;
    case DataType::string:
      return tensor_field::string_data;
    default:
      return tensor_field::int32_data;
  }
}

/// The number of values in the data field for `elements` elements.
std::int64_t numbers_for(DataType type, std::int64_t elements) {
  if (type == DataType::complex64 || type == DataType::complex128) return 2 * elements;
  // Packed types: one entry for each byte, but one for each element if elements cross bytes.
  if (is_packed(type) && element_bits(type) != 6) return bytes_of(type, elements);
  return elements;
}

Error bad_tensor(std::string message, std::string id) {
  return invalid(std::move(message),
                 "the file is damaged or was written with another shape or type", std::move(id));
}

TensorParts walk(LoadContext& context, Message message, NamedTensor& result) {
  using namespace tensor_field;
  TensorParts parts;
  Residue passed_over;  // preserved by the tensor's origin
  WireReader reader(context.source, message, tensor_table);
  while (reader.next()) {
    if (is_data_field(reader.number())) {
      const bool is_text = reader.number() == string_data;
      parts.counts[reader.number()] += is_text ? 1 : reader.count_numbers();
      if (is_text || reader.is_packed()) parts.only_piece = reader.bytes();
      parts.pieces += is_text || reader.is_packed() ? 1 : 2;
      continue;
    }
    switch (reader.number()) {
      case dims:
        if (static_cast<std::int64_t>(parts.dims.size()) + reader.count_numbers() >
            Shape::max_dimensions) {
          throw bad_tensor(format("the shape has more than {} dimensions", Shape::max_dimensions),
                           "tensor.shape");
        }
        reader.each_number(
            [&](std::uint64_t value) { parts.dims.push_back(static_cast<std::int64_t>(value)); });
        break;
      case data_type:
        parts.type = static_cast<std::int32_t>(reader.integer());
        break;
      case segment:
        parts.segment = reader.message();
        break;
      case name:
        result.name = reader.text();
        break;
      case raw_data:
        parts.raw = reader.bytes();
        break;
      case doc_string:
        result.doc_string = reader.text();
        break;
      case external_data:
        parts.external_data.push_back(read_entry(context, reader.message(), passed_over));
        break;
      case data_location:
        if (reader.integer() != 0 && reader.integer() != 1) {
          throw bad_tensor(format("data_location {} is unknown", reader.integer()),
                           "tensor.location");
        }
        parts.is_external = reader.integer() == 1;
        break;
      case metadata_props:
        result.metadata.push_back(read_entry(context, reader.message(), passed_over));
        break;
      default:
        break;
    }
  }
  return parts;
}

void check_counts(const TensorParts& parts, DataType type, const Shape& shape) {
  const std::uint32_t wanted_field = data_field_of(type);
  const bool has_raw = parts.raw && !parts.raw->empty();
  for (std::uint32_t field = 0; field < std::size(parts.counts); ++field) {
    if (parts.counts[field] == 0) continue;
    if (has_raw) {
      throw bad_tensor(format("has both raw_data and {}", name_of_field(field)), "tensor.data");
    }
    if (field != wanted_field) {
      throw bad_tensor(format("stores its data in {}, where {} belongs in {}", name_of_field(field),
                              name_of(type), name_of_field(wanted_field)),
                       "tensor.data");
    }
  }
  if (has_raw) return;  // Tensor::view checks the size
  const std::int64_t wanted = numbers_for(type, shape.element_count());
  if (parts.counts[wanted_field] != wanted) {
    throw bad_tensor(
        format("{} has {} values where {} of shape {} requires {}", name_of_field(wanted_field),
               parts.counts[wanted_field], name_of(type), shape.to_string(), wanted),
        "tensor.size");
  }
}

/// The smallest and largest valid int32_data entry for a type.
struct Range {
  std::int64_t least;
  std::int64_t most;
};

Range range_of(DataType type) {
  switch (type) {
    case DataType::uint8:
      return {0, 255};
    case DataType::int8:
      return {-128, 127};
    case DataType::uint16:
      return {0, 65535};
    case DataType::int16:
      return {-32768, 32767};
    case DataType::float16:
    case DataType::bfloat16:
      return {-32768, 65535};
    case DataType::int32:
    case DataType::boolean:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case DataType::float6e2m3:
    case DataType::float6e3m2:
      return {0, 63};
    default:
      return {-128, 255};
  }
}

/// Appends the low `width` bytes of numbers to a tensor's data.
class NumberSink {
 public:
  NumberSink(Tensor& tensor, std::size_t width) : at_(tensor.mutable_bytes()), width_(width) {}
  void put(std::uint64_t bits) {
    std::memcpy(at_, &bits, width_);
    at_ += width_;
  }

 private:
  std::byte* at_;
  std::size_t width_;
};

Tensor decode(LoadContext& context, Message message, DataType type, Shape shape) {
  const std::int64_t count = shape.element_count();
  context.budget.take_bytes(type == DataType::string ? count * 32 : bytes_of(type, count),
                            "elements of tensors");
  Tensor tensor(type, std::move(shape));
  const std::uint32_t field = data_field_of(type);
  if (type == DataType::string) {
    auto out = tensor.mutable_strings().begin();
    WireReader reader(context.source, message, tensor_table);
    while (reader.next()) {
      if (reader.number() == field) *out++ = reader.text();
    }
    return tensor;
  }
  const bool is_complex = type == DataType::complex64 || type == DataType::complex128;
  const auto element_bytes = static_cast<std::size_t>(std::max(element_bits(type) / 8, 1));
  NumberSink sink(tensor, is_complex ? element_bytes / 2 : element_bytes);
  const Range range = range_of(type);
  const bool crosses_bytes = element_bits(type) == 6;
  if (crosses_bytes)
    std::memset(tensor.mutable_bytes(), 0, static_cast<std::size_t>(tensor.size_bytes()));
  std::int64_t index = 0;
  WireReader reader(context.source, message, tensor_table);
  while (reader.next()) {
    if (reader.number() != field) continue;
    reader.each_number([&](std::uint64_t bits) {
      if (field == tensor_field::int32_data) {
        // An int32 is encoded in 64 bits; only the low half is significant.
        const std::int64_t value = static_cast<std::int32_t>(bits);
        if (value < range.least || value > range.most) {
          throw bad_tensor(
              format("int32_data contains {}, which is not a valid {}", value, name_of(type)),
              "tensor.value");
        }
        if (type == DataType::boolean) bits = value != 0 ? 1 : 0;
      } else if (type == DataType::uint32 && bits > std::numeric_limits<std::uint32_t>::max()) {
        throw bad_tensor(format("uint64_data contains {}, which is not a valid uint32", bits),
                         "tensor.value");
      }
      if (crosses_bytes) {
        set_packed(tensor.mutable_bytes(), index++, 6, static_cast<std::uint8_t>(bits));
      } else {
        sink.put(bits);
      }
    });
  }
  return tensor;
}

/// Converts bools to 0 or 1, as C++ and the kernels expect.
Tensor with_clean_bools(Tensor tensor) {
  if (tensor.type() != DataType::boolean) return tensor;
  const std::span<const std::byte> bytes(tensor.bytes(),
                                         static_cast<std::size_t>(tensor.size_bytes()));
  const bool is_clean =
      std::all_of(bytes.begin(), bytes.end(), [](std::byte each) { return each <= std::byte{1}; });
  if (is_clean) return tensor;
  Tensor copy(DataType::boolean, tensor.shape());
  std::transform(bytes.begin(), bytes.end(), copy.mutable_bytes(),
                 [](std::byte each) { return each == std::byte{0} ? std::byte{0} : std::byte{1}; });
  return copy;
}

/// Memory of a tensor besides its elements: its own rounded-up block and the reference count.
constexpr std::int64_t tensor_bytes = 560;

Tensor with_small_aligned(Tensor tensor) {
  return tensor.size_bytes() <= small_bytes ? tensor.aligned() : tensor;
}

Tensor read_external(LoadContext& context, const TensorParts& parts, DataType type,
                     const Shape& shape) {
  if (type == DataType::string) {
    throw bad_tensor("strings cannot be stored in external data", "external.type");
  }
  const bool has_numbers = std::any_of(std::begin(parts.counts), std::end(parts.counts),
                                       [](std::int64_t count) { return count > 0; });
  if ((parts.raw && !parts.raw->empty()) || has_numbers) {
    throw bad_tensor("has data both in the model and in external data", "tensor.data");
  }
  std::vector<std::string> unknown_keys;
  const ExternalReference reference = parse_external_reference(parts.external_data, unknown_keys);
  for (const std::string& key : unknown_keys) {
    context.warn(format("external data has an unknown entry {}, which is ignored", quote(key)));
  }
  if (!context.options.read_external_data) return context.external.zeros(type, shape);
  return with_clean_bools(context.external.read(reference, type, shape));
}

/// A tensor may declare that it is a segment, if that is the complete tensor.
void check_segment(LoadContext& context, Message message, std::int64_t elements) {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  WireReader reader(context.source, message, segment_table);
  while (reader.next()) {
    (reader.number() == segment_field::begin ? begin : end) = reader.integer();
  }
  if (begin == 0 && end == elements) return;
  throw Error(ErrorCode::unsupported,
              format("the tensor is only the segment {}..{} of another", begin, end),
              "export the model again with whole tensors")
      .with_id("tensor.segment");
}

Tensor read_data(LoadContext& context, Message message, const TensorParts& parts) {
  if (parts.type == 0) throw bad_tensor("has no element type", "tensor.type");
  if (!is_known(parts.type)) {
    throw Error(ErrorCode::unsupported, format("element type {} is unknown", parts.type),
                "export the model with a type listed by ONNX up to IR version 14")
        .with_id("tensor.type");
  }
  const auto type = static_cast<DataType>(parts.type);
  const Shape shape(parts.dims);
  bytes_of(type, shape.element_count());
  if (parts.segment) check_segment(context, *parts.segment, shape.element_count());
  if (parts.is_external) return read_external(context, parts, type, shape);
  if (type == DataType::string && parts.raw && !parts.raw->empty()) {
    throw bad_tensor("stores strings in raw_data, where string_data is expected", "tensor.data");
  }
  check_counts(parts, type, shape);
  if (parts.raw && !parts.raw->empty()) {
    return with_clean_bools(
        with_small_aligned(Tensor::view(type, shape, *parts.raw, context.owner)));
  }
  // A single packed run of little-endian numbers has the same layout as raw_data.
  const bool is_plain = type == DataType::float32 || type == DataType::float64;
  if (is_plain && parts.pieces == 1) {
    return with_small_aligned(Tensor::view(type, shape, parts.only_piece, context.owner));
  }
  return decode(context, message, type, shape);
}

}  // namespace

NamedTensor read_tensor(LoadContext& context, Message message) {
  NamedTensor result;
  try {
    context.budget.take_bytes(tensor_bytes, "tensors");
    const TensorParts parts = walk(context, message, result);
    result.is_external = parts.is_external;
    result.tensor = read_data(context, message, parts);
    context.budget.take_bytes(sizeof(TensorOrigin) + 32, "tensors");
    context.drop_large(
        {result.tensor.bytes(), static_cast<std::size_t>(result.tensor.size_bytes())});
    result.tensor.set_origin(std::make_shared<const TensorOrigin>(
        TensorOrigin{message.bytes, context.owner, parts.is_external}));
  } catch (const Error& error) {
    if (result.name.empty()) throw prefixed(error, "a tensor", "tensor.size");
    throw prefixed(error, "tensor " + quote(result.name), "tensor.size");
  }
  return result;
}

}  // namespace ortool::onnx
