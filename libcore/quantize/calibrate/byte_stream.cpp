// Little-endian byte streams on every host.
#include "libcore/quantize/calibrate/byte_stream.hpp"

#include <bit>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail_damaged() {
  throw Error(ErrorCode::invalid, "the calibration is damaged",
              "name another file to calibrate again; this one stays as it is");
}

}  // namespace

void ByteWriter::integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes_.push_back(static_cast<char>(bits >> shift & 0xffU));
  }
}

void ByteWriter::number(double value) {
  integer(std::bit_cast<std::int64_t>(value));
}

void ByteWriter::text(std::string_view value) {
  integer(static_cast<std::int64_t>(value.size()));
  bytes_ += value;
}

std::string_view ByteReader::take(std::size_t count) {
  if (count > bytes_.size()) fail_damaged();
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

std::int64_t ByteReader::integer() {
  std::uint64_t bits = 0;
  unsigned shift = 0;
  for (const char byte : take(8)) {
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
    shift += 8;
  }
  return static_cast<std::int64_t>(bits);
}

std::int64_t ByteReader::integer(std::int64_t least, std::int64_t most) {
  const std::int64_t value = integer();
  if (value < least || value > most) fail_damaged();
  return value;
}

std::int64_t ByteReader::count(std::int64_t bytes_each) {
  return integer(0, static_cast<std::int64_t>(bytes_.size()) / bytes_each);
}

double ByteReader::number() {
  return std::bit_cast<double>(integer());
}

std::string ByteReader::text() {
  return std::string(take(static_cast<std::size_t>(count(1))));
}

}  // namespace ortool
