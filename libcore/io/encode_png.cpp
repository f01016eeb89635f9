// PNG encoder with libpng. Errors use longjmp, so no object in its scope may have a destructor.
#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <png.h>
#include <zlib.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/encode_image.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_png_size = std::int64_t{1} << 26;

/// Plain data that the C callbacks access.
struct PngEncoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  std::size_t room = 0;
  char message[160] = {};
};

[[noreturn]] void on_write_error(png_structp png, png_const_charp message) {
  auto* encoder = static_cast<PngEncoder*>(png_get_error_ptr(png));
  std::strncpy(encoder->message, message, sizeof(encoder->message) - 1);
  png_longjmp(png, 1);
}

void on_write_warning(png_structp, png_const_charp) {}

void write_bytes(png_structp png, png_bytep data, std::size_t count) {
  auto* encoder = static_cast<PngEncoder*>(png_get_io_ptr(png));
  if (encoder->room - encoder->size < count) {
    const std::size_t room = std::max(encoder->room * 2, encoder->size + count);
    void* grown = std::realloc(encoder->bytes, room);
    if (grown == nullptr) png_error(png, "out of memory");
    encoder->bytes = static_cast<unsigned char*>(grown);
    encoder->room = room;
  }
  std::memcpy(encoder->bytes + encoder->size, data, count);
  encoder->size += count;
}

void flush_bytes(png_structp) {}

bool write_image(PngEncoder* encoder, const std::uint8_t* pixels, png_uint_32 height,
                 png_uint_32 width) {
  if (setjmp(png_jmpbuf(encoder->png)) != 0) return false;
  png_structp png = encoder->png;
  png_set_write_fn(png, encoder, write_bytes, flush_bytes);
  png_set_user_limits(png, max_png_size, max_png_size);
  // What OpenCV writes: differences to the pixel before, and runs of equal bytes.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_compression_level(png, 1);
  png_set_compression_strategy(png, Z_RLE);
  png_set_IHDR(png, encoder->info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, encoder->info);
  for (png_uint_32 row = 0; row < height; ++row)
    png_write_row(png, pixels + std::size_t{row} * width * 3);
  png_write_flush(png);
  png_write_end(png, encoder->info);
  return true;
}

}  // namespace

void check_encoded_size(std::int64_t height, std::int64_t width, std::int64_t most_side) {
  const bool fits = height >= 1 && width >= 1 && height <= most_side && width <= most_side &&
                    height <= max_image_pixels / width;
  if (fits) return;
  throw Error(ErrorCode::invalid,
              format("an image of {} x {} pixels cannot be encoded (expected 1 to {} pixels a "
                     "side, and {} at most)",
                     height, width, most_side, max_image_pixels));
}

EncodedImage encode_png(std::span<const std::uint8_t> pixels, std::int64_t height,
                        std::int64_t width) {
  check_encoded_size(height, width, max_png_size);
  ORTOOL_CHECK(static_cast<std::int64_t>(pixels.size()) == height * width * 3);
  PngEncoder encoder;
  encoder.png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, on_write_error, on_write_warning);
  if (encoder.png != nullptr) encoder.info = png_create_info_struct(encoder.png);
  const bool is_written = encoder.info != nullptr &&
                          write_image(&encoder, pixels.data(), static_cast<png_uint_32>(height),
                                      static_cast<png_uint_32>(width));
  png_destroy_write_struct(&encoder.png, &encoder.info);
  EncodedImage image;
  image.bytes.reset(encoder.bytes);
  image.size = encoder.size;
  if (is_written) return image;
  throw Error(ErrorCode::memory_limit,
              format("the PNG image cannot be encoded: {}", encoder.message));
}

}  // namespace ortool
