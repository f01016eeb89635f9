// TIFF decoder with libtiff: the first page, as 8-bit gray or RGB.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tiffio.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

/// The largest single allocation of libtiff: a strip of the largest image, in 16-bit RGBA.
constexpr tmsize_t max_tiff_allocation = max_image_pixels * 8;

/// Compression schemes with a bounded amount of memory.
constexpr std::array<std::uint16_t, 10> known_compressions = {
    COMPRESSION_NONE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,     COMPRESSION_CCITTFAX4,
    COMPRESSION_LZW,  COMPRESSION_JPEG,     COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS,
    COMPRESSION_ZSTD, COMPRESSION_DEFLATE};

/// A file in memory, and the first error of the library.
struct TiffSource {
  std::span<const std::byte> bytes;
  std::uint64_t position = 0;
  char message[256] = {};
};

TiffSource& source_of(thandle_t handle) {
  return *static_cast<TiffSource*>(handle);
}

tmsize_t read_tiff_bytes(thandle_t handle, void* out, tmsize_t count) {
  TiffSource& source = source_of(handle);
  if (count <= 0 || source.position >= source.bytes.size()) return 0;
  const std::size_t size =
      std::min(static_cast<std::size_t>(count), source.bytes.size() - source.position);
  std::memcpy(out, source.bytes.data() + source.position, size);
  source.position += size;
  return static_cast<tmsize_t>(size);
}

tmsize_t write_nothing(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seek_tiff(thandle_t handle, toff_t offset, int from) {
  TiffSource& source = source_of(handle);
  const std::uint64_t base = from == SEEK_CUR   ? source.position
                             : from == SEEK_END ? source.bytes.size()
                                                : 0;
  source.position = base + offset;
  return source.position;
}

int close_nothing(thandle_t) {
  return 0;
}

toff_t size_of_tiff(thandle_t handle) {
  return source_of(handle).bytes.size();
}

int keep_tiff_error(TIFF*, void* user, const char*, const char* text, va_list values) {
  TiffSource& source = *static_cast<TiffSource*>(user);
  if (source.message[0] == 0) std::vsnprintf(source.message, sizeof(source.message), text, values);
  return 1;
}

int ignore_tiff_warning(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

[[noreturn]] void fail_tiff(std::string_view reason) {
  throw Error(ErrorCode::invalid,
              format("the TIFF image cannot be decoded: {}",
                     escape_control_characters(std::string(reason))),
              "the file is damaged or truncated");
}

[[noreturn]] void refuse_tiff(std::string_view reason) {
  throw Error(ErrorCode::unsupported, format("the TIFF image {}", reason),
              "convert it to PNG first");
}

using TiffFile = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

TiffFile open_tiff(TiffSource& source) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  if (options == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_tiff_allocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_tiff_error, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_tiff_warning, nullptr);
  // Read by calls instead of a mapping: "m".
  TiffFile file(TIFFClientOpenExt("image", "rm", &source, read_tiff_bytes, write_nothing, seek_tiff,
                                  close_nothing, size_of_tiff, nullptr, nullptr, options.get()),
                TIFFClose);
  if (file == nullptr) fail_tiff(source.message);
  return file;
}

std::uint16_t short_field(TIFF* file, std::uint32_t tag) {
  std::uint16_t value = 0;
  TIFFGetFieldDefaulted(file, tag, &value);
  return value;
}

void check_tiff_compression(TIFF* file) {
  const std::uint16_t found = short_field(file, TIFFTAG_COMPRESSION);
  if (std::find(known_compressions.begin(), known_compressions.end(), found) !=
      known_compressions.end())
    return;
  refuse_tiff(
      format("uses compression method {} (LZW, Deflate, JPEG, PackBits, CCITT and Zstandard are "
             "supported)",
             found));
}

/// Alpha is dropped, not multiplied into the colors.
void ignore_alpha(TIFF* file) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  if (TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0 || count == 0) return;
  std::vector<std::uint16_t> unknown(count, EXTRASAMPLE_UNSPECIFIED);
  TIFFSetField(file, TIFFTAG_EXTRASAMPLES, count, unknown.data());
}

bool is_gray(TIFF* file) {
  const std::uint16_t kind = short_field(file, TIFFTAG_PHOTOMETRIC);
  return kind == PHOTOMETRIC_MINISBLACK || kind == PHOTOMETRIC_MINISWHITE;
}

}  // namespace

Image decode_tiff(std::span<const std::byte> bytes, MemoryCap* cap) {
  TiffSource source{.bytes = bytes};
  const TiffFile file = open_tiff(source);
  check_tiff_compression(file.get());
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  TIFFGetField(file.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(file.get(), TIFFTAG_IMAGELENGTH, &height);
  const std::int64_t channels = is_gray(file.get()) ? 1 : 3;
  Image image = make_image(width, height, channels, {}, cap);
  char reason[1024] = {};
  if (TIFFRGBAImageOK(file.get(), reason) == 0) refuse_tiff(format("is not supported: {}", reason));
  const std::int64_t pixels = image.width * image.height;
  const std::uint64_t part =
      TIFFIsTiled(file.get()) != 0 ? TIFFTileSize64(file.get()) : TIFFStripSize64(file.get());
  if (part > static_cast<std::uint64_t>(max_tiff_allocation))
    fail_tiff(format("its strips or tiles take {} bytes", part));
  // Where the channels are apart, those of four are read at the same time.
  const bool is_separate = short_field(file.get(), TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  const std::int64_t part_bytes = static_cast<std::int64_t>(part) * (is_separate ? 4 : 1);
  const MemoryReservation counted(cap, pixels * 4 + part_bytes, "decoding a TIFF image");
  ignore_alpha(file.get());
  // The library would mirror the image by this tag, but not rotate it.
  TIFFSetField(file.get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  std::vector<std::uint32_t> colors(static_cast<std::size_t>(pixels));
  if (TIFFReadRGBAImageOriented(file.get(), width, height, colors.data(), ORIENTATION_TOPLEFT, 1) ==
      0)
    fail_tiff(source.message);
  std::uint8_t* out = image.pixels.data();
  for (const std::uint32_t color : colors) {
    *out++ = static_cast<std::uint8_t>(TIFFGetR(color));
    if (channels == 1) continue;
    *out++ = static_cast<std::uint8_t>(TIFFGetG(color));
    *out++ = static_cast<std::uint8_t>(TIFFGetB(color));
  }
  return image;
}

}  // namespace ortool
