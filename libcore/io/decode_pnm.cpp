// PPM, PGM and PBM decoder, with samples as text, bytes or bits
// (https://netpbm.sourceforge.net/doc/ppm.html).
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail_pnm(std::string message) {
  throw Error(ErrorCode::invalid, "the PPM, PGM or PBM image " + std::move(message),
              "the file is damaged or truncated");
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void skip(std::size_t count) { position_ += count; }
  std::size_t left() const { return text_.size() - position_; }

  /// A number after whitespace and comments.
  std::int64_t number() {
    for (;;) {
      if (position_ >= text_.size()) fail_pnm("ends in the middle");
      if (text_[position_] == '#') {
        const std::size_t end = text_.find('\n', position_);
        position_ = end == std::string_view::npos ? text_.size() : end + 1;
      } else if (is_space(text_[position_])) {
        ++position_;
      } else {
        break;
      }
    }
    std::int64_t value = 0;
    const std::size_t start = position_;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      value = value * 10 + (text_[position_++] - '0');
      if (value > std::int64_t{1} << 31) fail_pnm(format("contains the number {}", value));
    }
    if (position_ == start) fail_pnm(format("has no number at byte {}", start));
    return value;
  }

  void one_space() {
    if (position_ >= text_.size() || !is_space(text_[position_]))
      fail_pnm(format("has no white space at byte {}", position_));
    ++position_;
  }

  std::int64_t byte() { return static_cast<unsigned char>(text_[position_++]); }

  /// A 0 or 1 after whitespace; whitespace after it is optional.
  bool bit() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    if (position_ >= text_.size()) fail_pnm("ends in the middle");
    const char digit = text_[position_++];
    if (digit != '0' && digit != '1') fail_pnm(format("has no bit at byte {}", position_ - 1));
    return digit == '1';
  }

 private:
  static bool is_space(char each) { return each == ' ' || (each >= '\t' && each <= '\r'); }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Bits, where 1 is black; in the binary format, each row starts at a new byte.
Image decode_pbm(Reader& reader, bool is_text, std::size_t file_bytes, MemoryCap* cap) {
  const std::int64_t width = reader.number();
  const std::int64_t height = reader.number();
  reader.one_space();
  Image image = make_image(width, height, 1, file_bytes, cap);
  const std::int64_t row_bytes = is_text ? width : (width + 7) / 8;
  if (row_bytes * height > static_cast<std::int64_t>(reader.left()))
    fail_pnm(format("of {} x {} is truncated", width, height));
  std::uint8_t* out = image.pixels.data();
  for (std::int64_t y = 0; y < height; ++y) {
    std::int64_t bits = 0;
    for (std::int64_t x = 0; x < width; ++x) {
      if (!is_text && x % 8 == 0) bits = reader.byte();
      const bool is_black = is_text ? reader.bit() : (bits >> (7 - x % 8) & 1) != 0;
      *out++ = is_black ? 0 : 255;
    }
  }
  return image;
}

}  // namespace

Image decode_pnm(std::span<const std::byte> bytes, MemoryCap* cap) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Reader reader(text);
  const char kind = text[1];
  const bool is_text = kind == '2' || kind == '3';
  const std::int64_t channels = kind == '3' || kind == '6' ? 3 : 1;
  reader.skip(2);
  if (kind == '1' || kind == '4') return decode_pbm(reader, kind == '1', bytes.size(), cap);
  const std::int64_t width = reader.number();
  const std::int64_t height = reader.number();
  const std::int64_t largest = reader.number();
  if (largest < 1 || largest > 65535)
    fail_pnm(format("has {} as its maximum sample (1 to 65535 are supported)", largest));
  reader.one_space();
  const std::int64_t sample_bytes = largest > 255 ? 2 : 1;
  std::int64_t samples = 0;
  if (width <= 0 || height <= 0 || __builtin_mul_overflow(width, height, &samples) ||
      samples > max_image_pixels)
    make_image(width, height, channels, bytes.size(), cap);
  // In text format, each sample takes at least a digit and a space, except for the last.
  samples *= channels;
  const std::int64_t needed = is_text ? 2 * samples - 1 : samples * sample_bytes;
  if (needed > static_cast<std::int64_t>(reader.left())) {
    fail_pnm(
        format("of {} x {} needs {} bytes, but {} are left", width, height, needed, reader.left()));
  }
  Image image = make_image(width, height, channels, bytes.size(), cap);
  for (std::uint8_t& pixel : image.pixels) {
    std::int64_t sample = 0;
    if (is_text) {
      sample = reader.number();
    } else {
      sample = reader.byte();
      if (sample_bytes == 2) sample = sample << 8 | reader.byte();
    }
    if (sample > largest)
      fail_pnm(format("has the sample {} above its maximum, {}", sample, largest));
    pixel = static_cast<std::uint8_t>((sample * 255 + largest / 2) / largest);
  }
  return image;
}

}  // namespace ortool
