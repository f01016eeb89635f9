// Tags, varints and lengths.
#include "libcore/onnx/wire_writer.hpp"

#include <bit>

namespace ortool::onnx {

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

void WireWriter::put_length(std::uint32_t field, std::uint64_t length) {
  append_varint(std::uint64_t{field} << 3 | 2);
  append_varint(length);
}

void WireWriter::append_varint(std::uint64_t value) {
  while (value >= 0x80) {
    text_ += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  text_ += static_cast<char>(value);
}

}  // namespace ortool::onnx
