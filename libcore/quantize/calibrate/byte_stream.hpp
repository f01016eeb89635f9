// Binary serialization of numbers and strings (little-endian); reading checks every length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ortool {

/// Writes numbers as eight bytes, least significant byte first.
class ByteWriter {
 public:
  void integer(std::int64_t value);
  void number(double value);
  void text(std::string_view value);

  std::string take() { return std::move(bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote. Every call throws ErrorCode::invalid when the data end early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::int64_t integer();
  /// An integer from `least` to `most`.
  std::int64_t integer(std::int64_t least, std::int64_t most);
  /// The count of items of at least `bytes_each` bytes; checked against the bytes that remain.
  std::int64_t count(std::int64_t bytes_each);
  double number();
  std::string text();
  bool is_at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::size_t count);

  std::string_view bytes_;
};

}  // namespace ortool
