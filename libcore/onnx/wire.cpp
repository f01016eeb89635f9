// Bounds-checked protobuf reader for tags, varints and lengths.
#include "libcore/onnx/wire.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::onnx {
namespace {

enum WireType : unsigned {
  wire_varint = 0,
  wire_fixed64 = 1,
  wire_length = 2,
  wire_group_begin = 3,
  wire_group_end = 4,
  wire_fixed32 = 5,
};

constexpr std::uint64_t largest_field_number = (std::uint64_t{1} << 29) - 1;

unsigned wire_type_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::varint:
      return wire_varint;
    case FieldKind::fixed32:
      return wire_fixed32;
    case FieldKind::fixed64:
      return wire_fixed64;
    default:
      return wire_length;
  }
}

bool is_number(FieldKind kind) {
  return kind != FieldKind::bytes && kind != FieldKind::message;
}

}  // namespace

WireReader::WireReader(const WireSource& source, Message message, const MessageTable& table)
    : source_(&source),
      table_(&table),
      at_(message.bytes.data()),
      end_(message.bytes.data() + message.bytes.size()),
      field_begin_(at_),
      nesting_(message.nesting) {
  present_.set(FieldPresence::came_from_file);
  if (nesting_ > source.max_nesting) {
    fail("limit.nesting", format("messages nest deeper than {}", source.max_nesting));
  }
}

bool WireReader::next() {
  row_ = nullptr;
  while (at_ != end_) {
    field_begin_ = at_;
    const std::uint64_t tag = read_varint(at_, end_);
    const auto wire_type = static_cast<unsigned>(tag & 7);
    const std::uint64_t number = tag >> 3;
    if (number == 0 || number > largest_field_number) {
      fail("wire.tag", format("field number {} is impossible", number));
    }
    row_ = find_row(static_cast<std::uint32_t>(number));
    if (row_ == nullptr) {
      skip_unknown(static_cast<std::uint32_t>(number), wire_type);
      unknown_bytes_ += at_ - field_begin_;
      keep(field());
      continue;
    }
    check_wire_type(wire_type);
    is_packed_ = wire_type == wire_length && is_number(row_->kind);
    switch (wire_type) {
      case wire_varint:
        value_ = read_varint(at_, end_);
        break;
      case wire_fixed32:
        value_ = read_fixed(4);
        break;
      case wire_fixed64:
        value_ = read_fixed(8);
        break;
      default:
        bytes_ = read_length_delimited();
        break;
    }
    return true;
  }
  return false;
}

float WireReader::float_number() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value_));
}

std::int64_t WireReader::count_numbers() const {
  if (!is_packed_) return 1;
  const auto size = static_cast<std::int64_t>(bytes_.size());
  if (row_->kind == FieldKind::varint) {
    return std::count_if(bytes_.begin(), bytes_.end(),
                         [](std::byte each) { return (each & std::byte{0x80}) == std::byte{0}; });
  }
  const std::int64_t width = row_->kind == FieldKind::fixed32 ? 4 : 8;
  if (size % width != 0) {
    fail("wire.packed", format("{} bytes are not a multiple of {}-byte values", size, width));
  }
  return size / width;
}

void WireReader::each_number(FunctionRef<void(std::uint64_t)> body) const {
  if (!is_packed_) return body(value_);
  if (row_->kind == FieldKind::varint) {
    const std::byte* at = bytes_.data();
    const std::byte* const end = at + bytes_.size();
    while (at != end) body(read_varint(at, end));
    return;
  }
  const std::size_t width = row_->kind == FieldKind::fixed32 ? 4 : 8;
  count_numbers();
  for (std::size_t i = 0; i < bytes_.size(); i += width) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + i, width);
    body(value);
  }
}

std::uint64_t WireReader::read_varint(const std::byte*& at, const std::byte* end) const {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == end) fail_at_end();
    const auto byte = static_cast<std::uint64_t>(*at++);
    if (shift == 63 && byte > 1) fail("wire.varint", "a number takes more than 64 bits");
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("wire.varint", "a number takes more than 10 bytes");
}

std::uint64_t WireReader::read_fixed(std::size_t size_bytes) {
  if (static_cast<std::size_t>(end_ - at_) < size_bytes) fail_at_end();
  std::uint64_t value = 0;
  std::memcpy(&value, at_, size_bytes);
  at_ += size_bytes;
  return value;
}

std::span<const std::byte> WireReader::read_length_delimited() {
  const std::uint64_t length = read_varint(at_, end_);
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  if (length > left) {
    const std::byte* const file_end = source_->file.data() + source_->file.size();
    if (end_ == file_end) {
      fail("file.cut",
           format("the file ends here: {} bytes are declared, {} are left", length, left));
    }
    fail("wire.length",
         format("{} bytes are declared where the message has {} left", length, left));
  }
  const std::span<const std::byte> result(at_, static_cast<std::size_t>(length));
  at_ += length;
  return result;
}

void WireReader::skip_unknown(std::uint32_t number, unsigned wire_type) {
  // Groups (deprecated) nest: `open` holds the field numbers of those that have not ended.
  std::uint32_t open[100];
  int depth = 0;
  while (true) {
    switch (wire_type) {
      case wire_varint:
        read_varint(at_, end_);
        break;
      case wire_fixed64:
        read_fixed(8);
        break;
      case wire_length:
        read_length_delimited();
        break;
      case wire_fixed32:
        read_fixed(4);
        break;
      case wire_group_begin:
        if (nesting_ + depth >= std::min(source_->max_nesting, 100)) {
          fail("limit.nesting", "groups nest too deep");
        }
        open[depth++] = number;
        break;
      case wire_group_end:
        if (depth == 0 || open[depth - 1] != number) {
          fail("wire.group", format("field {} ends a group that was not started", number));
        }
        --depth;
        break;
      default:
        fail("wire.type",
             format("field {} has wire type {}, which does not exist", number, wire_type));
    }
    if (depth == 0) return;
    const std::uint64_t tag = read_varint(at_, end_);
    number = static_cast<std::uint32_t>(std::min(tag >> 3, largest_field_number + 1));
    wire_type = static_cast<unsigned>(tag & 7);
    if (number == 0 || number > largest_field_number) {
      fail("wire.tag", format("field number {} is impossible", tag >> 3));
    }
  }
}

const FieldRow* WireReader::find_row(std::uint32_t number) const {
  for (const FieldRow& row : table_->rows) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

void WireReader::check_wire_type(unsigned wire_type) {
  const unsigned wanted = wire_type_of(row_->kind);
  const bool is_packed = row_->is_repeated && is_number(row_->kind) && wire_type == wire_length;
  if (wire_type != wanted && !is_packed) {
    fail("wire.type", format("has wire type {} where {} is expected", wire_type, wanted));
  }
  const bool is_single_message = row_->kind == FieldKind::message && !row_->is_repeated;
  if (is_single_message && present_.has(row_->number)) fail("wire.repeated", "is given twice");
  present_.set(row_->number);
}

void WireReader::keep(std::span<const std::byte> field) {
  if (residue_ == nullptr) return;
  auto& kept = residue_->unknown_fields;
  const bool continues = !kept.empty() && kept.back().data() + kept.back().size() == field.data();
  if (continues) {
    kept.back() = {kept.back().data(), kept.back().size() + field.size()};
  } else {
    kept.push_back(field);
  }
}

void WireReader::fail_at_end() const {
  const std::byte* const file_end = source_->file.data() + source_->file.size();
  if (end_ == file_end) fail("file.cut", "the file ends in the middle of a field");
  fail("wire.length", "the message ends in the middle of a field");
}

void WireReader::fail(std::string_view id, std::string_view what) const {
  std::string field(table_->name);
  if (row_ != nullptr) field.append(".").append(row_->name);
  const auto offset = field_begin_ - source_->file.data();
  const bool is_limit = id.substr(0, 6) == "limit.";
  throw Error(ErrorCode::invalid, format("byte {}, {}: {}", offset, field, what),
              is_limit ? "no real model needs this; the file looks crafted"
              : id == "file.cut"
                  ? "the file is incomplete; download or copy it again"
                  : "the file is damaged or not an ONNX model; download or export it again")
      .with_id(std::string(id));
}

}  // namespace ortool::onnx
