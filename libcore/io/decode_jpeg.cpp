// JPEG decoder with libjpeg. Errors use longjmp, so no object in its scope may have a destructor.
#include <csetjmp>
#include <cstdio>
#include <jpeglib.h>
#include <memory>
// After jpeglib.h, on which it depends.
#include <jerror.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

/// More scans than any encoder writes; they would only cost time.
constexpr int max_scans = 200;

/// Plain data; the library's structures come first where it casts to them.
struct JpegDecoder {
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = {};
  bool is_created = false;
};

[[noreturn]] void leave(j_common_ptr common) {
  auto* decoder = static_cast<JpegDecoder*>(common->client_data);
  common->err->format_message(common, decoder->message);
  std::longjmp(decoder->jump, 1);
}

/// libjpeg fills truncated images with gray and only warns.
void on_message(j_common_ptr common, int level) {
  const int code = common->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) leave(common);
}

void on_progress(j_common_ptr common) {
  auto* decoder = static_cast<JpegDecoder*>(common->client_data);
  if (decoder->jpeg.input_scan_number > max_scans) {
    std::snprintf(decoder->message, sizeof(decoder->message), "it has more than %d scans",
                  max_scans);
    std::longjmp(decoder->jump, 1);
  }
}

bool read_header(JpegDecoder* decoder, const unsigned char* bytes, unsigned long count) {
  if (setjmp(decoder->jump) != 0) return false;
  jpeg_decompress_struct* jpeg = &decoder->jpeg;
  jpeg->err = jpeg_std_error(&decoder->errors);
  jpeg->client_data = decoder;
  decoder->errors.error_exit = leave;
  decoder->errors.emit_message = on_message;
  jpeg_create_decompress(jpeg);
  decoder->is_created = true;
  decoder->progress.progress_monitor = on_progress;
  jpeg->progress = &decoder->progress;
  jpeg_mem_src(jpeg, bytes, count);
  jpeg_read_header(jpeg, TRUE);
  if (jpeg->jpeg_color_space != JCS_CMYK && jpeg->jpeg_color_space != JCS_YCCK)
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  return true;
}

bool read_rows(JpegDecoder* decoder, unsigned char* pixels, std::size_t row_bytes) {
  if (setjmp(decoder->jump) != 0) return false;
  jpeg_decompress_struct* jpeg = &decoder->jpeg;
  jpeg_start_decompress(jpeg);
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = pixels + jpeg->output_scanline * row_bytes;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
  return true;
}

[[noreturn]] void fail(const JpegDecoder& decoder) {
  throw Error(
      ErrorCode::invalid,
      format("the JPEG image cannot be decoded: {}", escape_control_characters(decoder.message)),
      "the file is damaged or truncated");
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, MemoryCap* cap) {
  const auto destroy = [](JpegDecoder* each) {
    if (each->is_created) jpeg_destroy_decompress(&each->jpeg);
    delete each;
  };
  const std::unique_ptr<JpegDecoder, decltype(destroy)> decoder(new JpegDecoder, destroy);
  if (!read_header(decoder.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                   bytes.size()))
    fail(*decoder);
  const jpeg_decompress_struct& jpeg = decoder->jpeg;
  if (jpeg.out_color_space != JCS_RGB && jpeg.out_color_space != JCS_GRAYSCALE) {
    throw Error(
        ErrorCode::unsupported,
        format("the JPEG image has {} channels of printing colors (CMYK)", jpeg.num_components),
        "convert it to RGB first");
  }
  const std::int64_t channels = jpeg.out_color_space == JCS_RGB ? 3 : 1;
  Image image = make_image(jpeg.image_width, jpeg.image_height, channels, bytes.size(), cap);
  if (!read_rows(decoder.get(), image.pixels.data(),
                 static_cast<std::size_t>(image.width * channels)))
    fail(*decoder);
  return image;
}

}  // namespace ortool
