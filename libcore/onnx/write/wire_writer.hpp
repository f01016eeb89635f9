// Protobuf's wire format, written field by field; large pieces stay where they are until the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/graph/notes.hpp"

namespace ortool::onnx {

/// Appends fields to messages nested in each other. Numbers are those of messages.hpp. Bytes given
/// as views are only referred to when they are many, and must stay until the writer has gone.
class WireWriter {
 public:
  void put_varint(std::uint32_t field, std::int64_t value);
  void put_float(std::uint32_t field, float value);
  /// Text, bytes, or a whole message; copied.
  void put_bytes(std::uint32_t field, std::string_view bytes);
  /// The same as a view.
  void put_view(std::uint32_t field, std::span<const std::byte> bytes);
  /// Whole fields, tags included, as a view.
  void put_fields(std::span<const std::byte> fields);
  /// Only tag and length of bytes that the caller writes elsewhere, behind this text.
  void put_length(std::uint32_t field, std::uint64_t length);

  // Fields that may be left out when they say nothing, unless the file had them.
  void put_text(std::uint32_t field, std::string_view text, FieldPresence present);
  void put_number(std::uint32_t field, std::int64_t value, FieldPresence present);
  void put_unknown(const Residue& residue);
  /// Key and value pairs, each a message under the number `field`.
  void put_entries(std::uint32_t field, const Metadata& entries, const Residue& residue);

  /// Every begin_message() takes one end_message(), inner ones first.
  void begin_message(std::uint32_t field);
  void end_message();

  /// All of it, where nothing was given as a view of many bytes.
  const std::string& text() const { return text_; }
  std::int64_t size_bytes() const;
  /// Calls `body` with the pieces in order; the last argument says whether it is a view.
  void each_piece(FunctionRef<void(std::span<const std::byte>, bool)> body) const;

 private:
  /// Bytes that belong before text_[position].
  struct View {
    std::size_t position;
    std::span<const std::byte> bytes;
  };
  struct OpenMessage {
    std::uint32_t field;
    std::size_t position;  ///< in text_
    std::size_t first_view;
  };

  void append_varint(std::uint64_t value);

  std::string text_;
  std::vector<View> views_;
  std::vector<OpenMessage> open_;
};

}  // namespace ortool::onnx
