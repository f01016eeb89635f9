// Protobuf wire-format writer that refers to large data instead of copying it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/onnx/field_presence.hpp"

namespace ortool::onnx {

/// Appends fields to nested messages. Field numbers are those of messages.hpp. Data passed as views
/// is only referred to if it is large, and must outlive the writer.
class WireWriter {
 public:
  void put_varint(std::uint32_t field, std::int64_t value);
  void put_float(std::uint32_t field, float value);
  /// Text, bytes, or a complete message; copied.
  void put_bytes(std::uint32_t field, std::string_view bytes);
  /// Same as a view.
  void put_view(std::uint32_t field, std::span<const std::byte> bytes);
  /// Complete fields including tags, as a view.
  void put_fields(std::span<const std::byte> fields);
  /// Only the tag and length of data that the caller writes after this text.
  void put_length(std::uint32_t field, std::uint64_t length);

  // Fields that may be omitted at their default value, unless the file had them.
  void put_text(std::uint32_t field, std::string_view text, FieldPresence present);
  void put_number(std::uint32_t field, std::int64_t value, FieldPresence present);
  void put_unknown(const Residue& residue);
  /// Key-value entries, each a message with the field number `field`.
  void put_entries(std::uint32_t field, const Metadata& entries, const Residue& residue);

  /// Each begin_message() needs one end_message(), innermost first.
  void begin_message(std::uint32_t field);
  void end_message();

  /// The complete output, if no large view was added.
  const std::string& text() const { return text_; }
  std::int64_t size_bytes() const;
  /// Calls `body` with the pieces in order; the last argument says whether the piece is a view.
  void each_piece(FunctionRef<void(std::span<const std::byte>, bool)> body) const;

 private:
  /// Bytes to be inserted before text_[position].
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
