// Protobuf encoding of tags, varints and lengths; a message's length is inserted when it ends.
#include "libcore/onnx/write/wire_writer.hpp"

#include <bit>
#include <map>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {
namespace {

/// Smaller data is copied, which is cheaper than referring to it.
constexpr std::size_t min_view_bytes = 512;

std::string varint_text(std::uint64_t value) {
  std::string text;
  while (value >= 0x80) {
    text += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  text += static_cast<char>(value);
  return text;
}

std::string_view to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void WireWriter::put_varint(std::uint32_t field, std::int64_t value) {
  append_varint(std::uint64_t{field} << 3);
  append_varint(static_cast<std::uint64_t>(value));
}

void WireWriter::put_float(std::uint32_t field, float value) {
  append_varint(std::uint64_t{field} << 3 | 5);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    text_ += static_cast<char>(bits >> shift & 0xff);
  }
}

void WireWriter::put_bytes(std::uint32_t field, std::string_view bytes) {
  put_length(field, bytes.size());
  text_ += bytes;
}

void WireWriter::put_view(std::uint32_t field, std::span<const std::byte> bytes) {
  put_length(field, bytes.size());
  put_fields(bytes);
}

void WireWriter::put_fields(std::span<const std::byte> fields) {
  if (fields.size() < min_view_bytes) {
    text_ += to_text(fields);
  } else {
    views_.push_back({text_.size(), fields});
  }
}

void WireWriter::put_length(std::uint32_t field, std::uint64_t length) {
  append_varint(std::uint64_t{field} << 3 | 2);
  append_varint(length);
}

void WireWriter::put_text(std::uint32_t field, std::string_view text, FieldPresence present) {
  if (!text.empty() || present.has(field)) put_bytes(field, text);
}

void WireWriter::put_number(std::uint32_t field, std::int64_t value, FieldPresence present) {
  if (value != 0 || present.has(field)) put_varint(field, value);
}

void WireWriter::put_unknown(const Residue& residue) {
  for (const std::span<const std::byte> fields : residue.unknown_fields) put_fields(fields);
}

void WireWriter::put_entries(std::uint32_t field, const Metadata& entries, const Residue& residue) {
  using Key = std::pair<std::string_view, std::string_view>;
  std::multimap<Key, std::span<const std::byte>> odd;
  for (const Residue::OddEntry& each : residue.odd_entries) {
    odd.emplace(Key(each.key, each.value), each.bytes);
  }
  for (const auto& [key, value] : entries) {
    if (const auto found = odd.find({key, value}); found != odd.end()) {
      put_view(field, found->second);
      odd.erase(found);
      continue;
    }
    begin_message(field);
    put_bytes(entry_field::key, key);
    put_bytes(entry_field::value, value);
    end_message();
  }
}

void WireWriter::begin_message(std::uint32_t field) {
  open_.push_back({field, text_.size(), views_.size()});
}

void WireWriter::end_message() {
  ORTOOL_CHECK(!open_.empty());
  const OpenMessage message = open_.back();
  open_.pop_back();
  std::uint64_t length = text_.size() - message.position;
  for (std::size_t i = message.first_view; i < views_.size(); ++i) length += views_[i].bytes.size();
  const std::string head = varint_text(std::uint64_t{message.field} << 3 | 2) + varint_text(length);
  text_.insert(message.position, head);
  for (std::size_t i = message.first_view; i < views_.size(); ++i) {
    views_[i].position += head.size();
  }
}

std::int64_t WireWriter::size_bytes() const {
  std::size_t size = text_.size();
  for (const View& view : views_) size += view.bytes.size();
  return static_cast<std::int64_t>(size);
}

void WireWriter::each_piece(FunctionRef<void(std::span<const std::byte>, bool)> body) const {
  const auto all = std::as_bytes(std::span(text_.data(), text_.size()));
  std::size_t done = 0;
  for (const View& view : views_) {
    if (view.position > done) body(all.subspan(done, view.position - done), false);
    body(view.bytes, true);
    done = view.position;
  }
  if (done < all.size()) body(all.subspan(done), false);
}

void WireWriter::append_varint(std::uint64_t value) {
  while (value >= 0x80) {
    text_ += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  text_ += static_cast<char>(value);
}

}  // namespace ortool::onnx
