// WebP decoder with libwebp: the image, or the first frame of an animation.
#include <memory>

#include <webp/decode.h>
#include <webp/demux.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail_webp(std::string_view reason) {
  throw Error(ErrorCode::invalid, format("the WebP image cannot be decoded: {}", reason),
              "the file is damaged or truncated");
}

}  // namespace

Image decode_webp(std::span<const std::byte> bytes, MemoryCap* cap) {
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> file(WebPDemux(&data),
                                                                      WebPDemuxDelete);
  if (file == nullptr) fail_webp("its chunks are incomplete");
  Image image = make_image(WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_WIDTH),
                           WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_HEIGHT), 3, {}, cap);
  // The lossless decoder keeps the frame in four channels.
  const MemoryReservation counted(cap, image.width * image.height * 4, "decoding a WebP image");
  WebPIterator frame = {};
  const auto release = [](WebPIterator* each) { WebPDemuxReleaseIterator(each); };
  const std::unique_ptr<WebPIterator, decltype(release)> guard(&frame, release);
  if (WebPDemuxGetFrame(file.get(), 1, &frame) == 0) fail_webp("it has no frame");
  const bool is_inside = frame.x_offset >= 0 && frame.y_offset >= 0 &&
                         frame.x_offset + frame.width <= image.width &&
                         frame.y_offset + frame.height <= image.height;
  if (!is_inside) fail_webp("its frame is larger than the image");
  const auto row_bytes = static_cast<std::size_t>(image.width) * 3;
  const std::size_t first = static_cast<std::size_t>(frame.y_offset) * row_bytes +
                            static_cast<std::size_t>(frame.x_offset) * 3;
  const std::uint8_t* decoded =
      WebPDecodeRGBInto(frame.fragment.bytes, frame.fragment.size, image.pixels.data() + first,
                        image.pixels.size() - first, static_cast<int>(row_bytes));
  if (decoded == nullptr) fail_webp("its pixels are damaged");
  return image;
}

}  // namespace ortool
