// PNG decoder with libpng. Errors use longjmp, so no object in its scope may have a destructor.
#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <png.h>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

constexpr png_uint_32 max_png_side = 1U << 26;
constexpr png_alloc_size_t max_chunk_bytes = png_alloc_size_t{1} << 23;

/// Plain data that the C callbacks access.
struct PngDecoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const std::byte* next = nullptr;
  std::size_t left = 0;
  char message[160] = {};
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  bool keeps_indices = false;  ///< samples stay as stored: of a palette, or gray
  bool has_indices = false;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* decoder = static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::strncpy(decoder->message, message, sizeof(decoder->message) - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* decoder = static_cast<PngDecoder*>(png_get_io_ptr(png));
  if (count > decoder->left) png_error(png, "the file ends in the middle");
  std::memcpy(out, decoder->next, count);
  decoder->next += count;
  decoder->left -= count;
}

/// Reads up to the first pixel and sets the pixel format. Returns false on error.
bool read_header(PngDecoder* decoder) {
  if (setjmp(png_jmpbuf(decoder->png)) != 0) return false;
  png_structp png = decoder->png;
  png_infop info = decoder->info;
  png_set_read_fn(png, decoder, read_bytes);
  png_set_user_limits(png, max_png_side, max_png_side);
  png_set_chunk_malloc_max(png, max_chunk_bytes);
  png_set_chunk_cache_max(png, 64);
  png_read_info(png, info);
  const png_byte color = png_get_color_type(png, info);
  decoder->has_indices = (color == PNG_COLOR_TYPE_PALETTE || color == PNG_COLOR_TYPE_GRAY) &&
                         png_get_bit_depth(png, info) <= 8;
  if (decoder->keeps_indices && decoder->has_indices) {
    png_set_packing(png);
  } else if (color == PNG_COLOR_TYPE_PALETTE) {
    png_set_palette_to_rgb(png);
  } else if (color == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8) {
    png_set_expand_gray_1_2_4_to_8(png);
  }
  if (png_get_bit_depth(png, info) == 16) png_set_scale_16(png);
  if ((color & PNG_COLOR_MASK_ALPHA) != 0) png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  decoder->width = png_get_image_width(png, info);
  decoder->height = png_get_image_height(png, info);
  decoder->channels = png_get_channels(png, info);
  return true;
}

bool read_rows(PngDecoder* decoder, png_bytepp rows) {
  if (setjmp(png_jmpbuf(decoder->png)) != 0) return false;
  png_read_image(decoder->png, rows);
  png_read_end(decoder->png, nullptr);
  return true;
}

[[noreturn]] void fail(const PngDecoder& decoder) {
  throw Error(
      ErrorCode::invalid,
      format("the PNG image cannot be decoded: {}", escape_control_characters(decoder.message)),
      "the file is damaged or truncated");
}

[[noreturn]] void fail_without_indices() {
  throw Error(ErrorCode::invalid, "is not a PNG of class indices",
              "a label image is a PNG of 8 bits with a palette or in gray, whose samples are "
              "classes")
      .with_id("data.labels");
}

Image decode(std::span<const std::byte> bytes, MemoryCap* cap, bool keeps_indices) {
  PngDecoder decoder{.next = bytes.data(), .left = bytes.size(), .keeps_indices = keeps_indices};
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (decoder.png != nullptr) decoder.info = png_create_info_struct(decoder.png);
  const auto destroy = [](PngDecoder* each) {
    png_destroy_read_struct(&each->png, &each->info, nullptr);
  };
  const std::unique_ptr<PngDecoder, decltype(destroy)> guard(&decoder, destroy);
  if (decoder.info == nullptr || !read_header(&decoder)) fail(decoder);
  if (keeps_indices && !decoder.has_indices) fail_without_indices();
  Image image = make_image(decoder.width, decoder.height, decoder.channels, bytes.size(), cap);
  ORTOOL_CHECK(image.channels == 1 || image.channels == 3);
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.height));
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row] = image.pixels.data() + row * static_cast<std::size_t>(image.width * image.channels);
  if (!read_rows(&decoder, rows.data())) fail(decoder);
  return image;
}

}  // namespace

Image decode_png(std::span<const std::byte> bytes, MemoryCap* cap) {
  return decode(bytes, cap, false);
}

Image decode_class_indices(std::span<const std::byte> bytes, MemoryCap* cap) {
  constexpr std::size_t signature_bytes = 8;
  if (bytes.size() < signature_bytes ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, signature_bytes) != 0)
    fail_without_indices();
  return decode(bytes, cap, true);
}

}  // namespace ortool
