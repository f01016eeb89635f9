// Packed field: its number, and finding it among unknown fields.
#include "libcore/onnx/packed_field.hpp"

#include <algorithm>

#include "libcore/base/function_ref.hpp"

namespace ortool {
namespace {

/// The letters "ort", far from the numbers that ONNX uses.
constexpr std::uint64_t packed_field_number = 0x6f7274;
constexpr std::uint64_t wire_type_length = 2;

void append_as_varint(std::string& text, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) text += static_cast<char>((value & 0x7f) | 0x80);
  text += static_cast<char>(value);
}

/// A number at the start of `bytes`, which it is removed from. The file's reader has checked it.
std::uint64_t take_varint(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80 || shift > 56) break;
  }
  return value;
}

std::size_t content_bytes_of(std::uint64_t wire_type, std::span<const std::byte>& rest) {
  if (wire_type == 1) return 8;
  if (wire_type == 5) return 4;
  if (wire_type == wire_type_length) return take_varint(rest);
  if (wire_type == 0) take_varint(rest);
  return 0;
}

/// Calls `body` for each of some fields in a row, with its content if it is the packed one.
void each_field(std::span<const std::byte> fields,
                FunctionRef<void(std::span<const std::byte> field, bool is_packed,
                                 std::span<const std::byte> content)>
                    body) {
  while (!fields.empty()) {
    std::span<const std::byte> rest = fields;
    const std::uint64_t tag = take_varint(rest);
    const std::size_t wanted = content_bytes_of(tag & 7, rest);
    const std::size_t count = std::min(wanted, rest.size());
    const std::span<const std::byte> content = rest.first(count);
    const std::size_t whole = fields.size() - rest.size() + count;
    body(fields.first(whole), tag == (packed_field_number << 3 | wire_type_length), content);
    fields = fields.subspan(whole);
  }
}

}  // namespace

std::string packed_field_head(std::int64_t content_bytes) {
  std::string head;
  append_as_varint(head, packed_field_number << 3 | wire_type_length);
  append_as_varint(head, static_cast<std::uint64_t>(content_bytes));
  return head;
}

std::span<const std::byte> packed_field_of(const Model& model) {
  std::span<const std::byte> found;
  for (const std::span<const std::byte> fields : model.residue.unknown_fields) {
    each_field(fields,
               [&](std::span<const std::byte>, bool is_packed, std::span<const std::byte> content) {
                 if (is_packed) found = content;
               });
  }
  return found;
}

Residue without_packed_field(const Residue& residue) {
  Residue result;
  result.odd_entries = residue.odd_entries;
  for (const std::span<const std::byte> fields : residue.unknown_fields) {
    each_field(fields,
               [&](std::span<const std::byte> field, bool is_packed, std::span<const std::byte>) {
                 if (!is_packed) result.unknown_fields.push_back(field);
               });
  }
  return result;
}

}  // namespace ortool
