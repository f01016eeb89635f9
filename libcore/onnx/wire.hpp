// Protobuf wire-format reader: iterates over fields with all lengths checked and copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/base/function_ref.hpp"
#include "libcore/onnx/field_presence.hpp"

namespace ortool::onnx {

/// The encoding of a field. `varint` and the fixed kinds may be packed if repeated.
enum class FieldKind : std::uint8_t { varint, fixed32, fixed64, bytes, message };

struct FieldRow {
  std::uint32_t number;
  std::string_view name;
  FieldKind kind;
  bool is_repeated;
};

/// The fields of one message type, with numbers below FieldPresence::explicit_domain.
struct MessageTable {
  std::string_view name;
  std::span<const FieldRow> rows;
};

/// The complete file, and the maximum nesting depth of its messages.
struct WireSource {
  std::span<const std::byte> file;
  int max_nesting = 100;
};

/// The bytes of a message within the file.
struct Message {
  std::span<const std::byte> bytes;
  int nesting = 0;
};

/// Iterates over the fields of one message in file order. Unknown fields are checked for
/// well-formedness, skipped, and kept if requested. Throws ErrorCode::invalid with the file offset,
/// the message and the field: "file.cut" when the file ends inside a field, "wire.*" otherwise.
class WireReader {
 public:
  /// `source` must outlive the reader. Throws "limit.nesting" when the message is nested too deep.
  WireReader(const WireSource& source, Message message, const MessageTable& table);

  /// From now on, stores unknown fields in `residue`, which must outlive the reader.
  void keep_unknown(Residue& residue) { residue_ = &residue; }
  /// The current field including its tag.
  std::span<const std::byte> field() const { return {field_begin_, at_}; }
  /// Keeps the current field as if it were unknown.
  void keep_field() { keep(field()); }
  /// The fields seen so far.
  FieldPresence present_fields() const { return present_; }

  /// Advances to the next known field; returns false at the end.
  bool next();

  std::uint32_t number() const { return row_->number; }
  std::string_view name() const { return row_->name; }

  /// The value of a field that is not repeated.
  std::int64_t integer() const { return static_cast<std::int64_t>(value_); }
  float float_number() const;
  /// The bytes of a `bytes` field.
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  Message message() const { return {bytes_, nesting_ + 1}; }

  /// The number of values in this occurrence of a repeated numeric field: 1, or those of a packed
  /// one.
  std::int64_t count_numbers() const;
  /// Calls `body` with the bits of each of them.
  void each_number(FunctionRef<void(std::uint64_t)> body) const;
  bool is_packed() const { return is_packed_; }

  /// Total size of the unknown fields skipped so far, in bytes.
  std::int64_t unknown_bytes() const { return unknown_bytes_; }

  [[noreturn]] void fail(std::string_view id, std::string_view what) const;

 private:
  std::uint64_t read_varint(const std::byte*& at, const std::byte* end) const;
  std::uint64_t read_fixed(std::size_t size_bytes);
  std::span<const std::byte> read_length_delimited();
  void skip_unknown(std::uint32_t number, unsigned wire_type);
  const FieldRow* find_row(std::uint32_t number) const;
  void check_wire_type(unsigned wire_type);
  void keep(std::span<const std::byte> field);
  [[noreturn]] void fail_at_end() const;

  const WireSource* source_;
  const MessageTable* table_;
  const std::byte* at_;
  const std::byte* end_;
  const std::byte* field_begin_;
  int nesting_;
  const FieldRow* row_ = nullptr;
  FieldPresence present_;
  std::int64_t unknown_bytes_ = 0;
  Residue* residue_ = nullptr;
  bool is_packed_ = false;
  std::uint64_t value_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace ortool::onnx
