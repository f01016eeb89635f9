// JPEG encoder with libjpeg. Errors use longjmp, so no object in its scope may have a destructor.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/encode_image.hpp"

namespace ortool {
namespace {

/// Plain data; the library's structure comes first.
struct JpegEncoder {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = {};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
};

[[noreturn]] void leave_encoder(j_common_ptr common) {
  auto* encoder = static_cast<JpegEncoder*>(common->client_data);
  common->err->format_message(common, encoder->message);
  std::longjmp(encoder->jump, 1);
}

bool write_image(JpegEncoder* encoder, const std::uint8_t* pixels, JDIMENSION height,
                 JDIMENSION width) {
  if (setjmp(encoder->jump) != 0) return false;
  jpeg_compress_struct* jpeg = &encoder->jpeg;
  jpeg_create_compress(jpeg);
  jpeg->client_data = encoder;
  jpeg_mem_dest(jpeg, &encoder->bytes, &encoder->size);
  jpeg->image_width = width;
  jpeg->image_height = height;
  jpeg->input_components = 3;
  jpeg->in_color_space = JCS_RGB;
  jpeg_set_defaults(jpeg);
  jpeg_set_quality(jpeg, 95, TRUE);
  jpeg_start_compress(jpeg, TRUE);
  while (jpeg->next_scanline < height) {
    auto* row = const_cast<std::uint8_t*>(pixels + std::size_t{jpeg->next_scanline} * width * 3);
    jpeg_write_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_compress(jpeg);
  return true;
}

}  // namespace

EncodedImage encode_jpeg(std::span<const std::uint8_t> pixels, std::int64_t height,
                         std::int64_t width) {
  check_encoded_size(height, width, JPEG_MAX_DIMENSION);
  ORTOOL_CHECK(static_cast<std::int64_t>(pixels.size()) == height * width * 3);
  JpegEncoder encoder;
  encoder.jpeg.err = jpeg_std_error(&encoder.errors);
  encoder.errors.error_exit = leave_encoder;
  encoder.jpeg.client_data = &encoder;
  const bool is_written = write_image(&encoder, pixels.data(), static_cast<JDIMENSION>(height),
                                      static_cast<JDIMENSION>(width));
  jpeg_destroy_compress(&encoder.jpeg);
  EncodedImage image;
  image.bytes.reset(encoder.bytes);
  image.size = encoder.size;
  if (is_written) return image;
  throw Error(ErrorCode::memory_limit,
              format("the JPEG image cannot be encoded: {}", encoder.message));
}

}  // namespace ortool
