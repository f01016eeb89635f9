// Protobuf's wire format, written field by field into a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ortool::onnx {

/// Appends fields to a message. Numbers are those of messages.hpp.
class WireWriter {
 public:
  void put_varint(std::uint32_t field, std::int64_t value);
  void put_float(std::uint32_t field, float value);
  /// Text, bytes, or a message written by another writer.
  void put_bytes(std::uint32_t field, std::string_view bytes);
  /// Only tag and length of bytes that the caller writes elsewhere, behind this text.
  void put_length(std::uint32_t field, std::uint64_t length);

  const std::string& text() const { return text_; }

 private:
  void append_varint(std::uint64_t value);

  std::string text_;
};

}  // namespace ortool::onnx
