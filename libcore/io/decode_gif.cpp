// GIF decoder with giflib: the first frame, on the background color.
#include <algorithm>
#include <array>
#include <cstring>
#include <gif_lib.h>
#include <memory>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail_gif(std::string_view reason) {
  throw Error(ErrorCode::invalid, format("the GIF image cannot be decoded: {}", reason),
              "the file is damaged or truncated");
}

[[noreturn]] void fail_gif(int code) {
  const char* reason = GifErrorString(code);
  fail_gif(std::string_view(reason != nullptr ? reason : "unknown error"));
}

int read_gif_bytes(GifFileType* gif, GifByteType* out, int count) {
  auto* left = static_cast<std::span<const std::byte>*>(gif->UserData);
  const std::size_t size = std::min(left->size(), static_cast<std::size_t>(std::max(count, 0)));
  if (size > 0) std::memcpy(out, left->data(), size);
  *left = left->subspan(size);
  return static_cast<int>(size);
}

/// Reads to the first frame, past extensions.
void find_first_frame(GifFileType* gif) {
  for (;;) {
    GifRecordType kind = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif, &kind) == GIF_ERROR) fail_gif(gif->Error);
    if (kind == IMAGE_DESC_RECORD_TYPE) break;
    if (kind != EXTENSION_RECORD_TYPE) fail_gif("it has no frame");
    int code = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(gif, &code, &block) == GIF_ERROR) fail_gif(gif->Error);
    while (block != nullptr) {
      if (DGifGetExtensionNext(gif, &block) == GIF_ERROR) fail_gif(gif->Error);
    }
  }
  if (DGifGetImageDesc(gif) == GIF_ERROR) fail_gif(gif->Error);
}

void fill_background(const GifFileType& gif, Image& image) {
  const ColorMapObject* map = gif.SColorMap;
  if (map == nullptr || gif.SBackGroundColor >= map->ColorCount) return;
  const GifColorType color = map->Colors[gif.SBackGroundColor];
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    image.pixels[i] = color.Red;
    image.pixels[i + 1] = color.Green;
    image.pixels[i + 2] = color.Blue;
  }
}

void read_gif_row(GifFileType* gif, const ColorMapObject& map, std::vector<GifByteType>& row,
                  std::uint8_t* out) {
  if (DGifGetLine(gif, row.data(), static_cast<int>(row.size())) == GIF_ERROR) fail_gif(gif->Error);
  for (const GifByteType index : row) {
    if (index >= map.ColorCount)
      fail_gif(format("it uses color {}, which is not in its palette", index));
    const GifColorType color = map.Colors[index];
    *out++ = color.Red;
    *out++ = color.Green;
    *out++ = color.Blue;
  }
}

/// The rows of a frame in the order of the file: from the top, or interlaced in four passes.
std::vector<std::int64_t> row_order(const GifImageDesc& frame) {
  constexpr std::array<std::array<std::int64_t, 2>, 4> passes = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  std::vector<std::int64_t> rows;
  for (const auto& [first, step] : passes) {
    for (std::int64_t row = first; row < frame.Height; row += step) rows.push_back(row);
  }
  if (!frame.Interlace) std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

Image decode_gif(std::span<const std::byte> bytes, MemoryCap* cap) {
  std::span<const std::byte> left = bytes;
  int code = 0;
  const auto close = [](GifFileType* each) { DGifCloseFile(each, nullptr); };
  const std::unique_ptr<GifFileType, decltype(close)> gif(DGifOpen(&left, read_gif_bytes, &code),
                                                          close);
  if (gif == nullptr) fail_gif(code);
  find_first_frame(gif.get());
  const GifImageDesc& frame = gif->Image;
  const ColorMapObject* map = frame.ColorMap != nullptr ? frame.ColorMap : gif->SColorMap;
  if (map == nullptr) fail_gif("it has no palette");
  if (frame.Left < 0 || frame.Top < 0 || frame.Width <= 0 || frame.Height <= 0)
    fail_gif("its first frame is empty");
  Image image = make_image(std::max(gif->SWidth, frame.Left + frame.Width),
                           std::max(gif->SHeight, frame.Top + frame.Height), 3, bytes.size(), cap);
  fill_background(*gif, image);
  std::vector<GifByteType> row(static_cast<std::size_t>(frame.Width));
  for (const std::int64_t y : row_order(frame)) {
    const std::int64_t place = ((frame.Top + y) * image.width + frame.Left) * 3;
    read_gif_row(gif.get(), *map, row, image.pixels.data() + place);
  }
  return image;
}

}  // namespace ortool
