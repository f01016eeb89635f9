// JPEG 2000 decoder with OpenJPEG: files (.jp2) and bare codestreams (.j2k), gray or RGB.
#include <algorithm>
#include <cstring>
#include <memory>

#include <openjpeg.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail_jpeg_2000(std::string_view reason) {
  throw Error(ErrorCode::invalid, format("the JPEG 2000 image cannot be decoded: {}", reason),
              "the file is damaged or truncated");
}

/// The bytes of a file as OpenJPEG reads them.
struct ByteSource {
  std::span<const std::byte> bytes;
  std::size_t at = 0;
};

OPJ_SIZE_T read_source(void* buffer, OPJ_SIZE_T count, void* user) {
  auto& source = *static_cast<ByteSource*>(user);
  const std::size_t bytes = std::min(count, source.bytes.size() - source.at);
  if (bytes == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(buffer, source.bytes.data() + source.at, bytes);
  source.at += bytes;
  return bytes;
}

OPJ_OFF_T skip_source(OPJ_OFF_T count, void* user) {
  auto& source = *static_cast<ByteSource*>(user);
  const auto rest = static_cast<OPJ_OFF_T>(source.bytes.size() - source.at);
  if (count < 0) return -1;
  const OPJ_OFF_T bytes = std::min(count, rest);
  source.at += static_cast<std::size_t>(bytes);
  return bytes;
}

OPJ_BOOL seek_source(OPJ_OFF_T place, void* user) {
  auto& source = *static_cast<ByteSource*>(user);
  if (place < 0 || place > static_cast<OPJ_OFF_T>(source.bytes.size())) return OPJ_FALSE;
  source.at = static_cast<std::size_t>(place);
  return OPJ_TRUE;
}

using Stream = std::unique_ptr<opj_stream_t, decltype(&opj_stream_destroy)>;
using Codec = std::unique_ptr<opj_codec_t, decltype(&opj_destroy_codec)>;
using Decoded = std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)>;

Stream open_stream(ByteSource& source) {
  Stream stream(opj_stream_default_create(OPJ_TRUE), opj_stream_destroy);
  if (stream == nullptr) fail_jpeg_2000("there is no memory for a stream");
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), source.bytes.size());
  opj_stream_set_read_function(stream.get(), read_source);
  opj_stream_set_skip_function(stream.get(), skip_source);
  opj_stream_set_seek_function(stream.get(), seek_source);
  return stream;
}

/// Throws unless the channels are of one size and of 1 to 16 bits.
void check_channels(const opj_image_t& image) {
  const opj_image_comp_t& first = image.comps[0];
  for (OPJ_UINT32 i = 0; i < image.numcomps; ++i) {
    const opj_image_comp_t& each = image.comps[i];
    if (each.w != first.w || each.h != first.h || each.dx != first.dx || each.dy != first.dy) {
      throw Error(ErrorCode::unsupported, "the JPEG 2000 image has channels of different sizes",
                  "convert it to one without subsampling");
    }
    if (each.prec < 1 || each.prec > 16) {
      throw Error(ErrorCode::unsupported,
                  format("the JPEG 2000 image has samples of {} bits (1 to 16 are supported)",
                         each.prec));
    }
  }
}

/// A sample as 8 bits.
std::uint8_t sample_of(const opj_image_comp_t& channel, std::size_t index) {
  const int most = (1 << channel.prec) - 1;
  int value = channel.data[index];
  if (channel.sgnd != 0) value += 1 << (channel.prec - 1);
  value = std::clamp(value, 0, most);
  if (channel.prec == 8) return static_cast<std::uint8_t>(value);
  return static_cast<std::uint8_t>((value * 255 + most / 2) / most);
}

Image pixels_of(const opj_image_t& decoded, Image image) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const auto count = static_cast<std::size_t>(image.width * image.height);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const opj_image_comp_t& samples = decoded.comps[channel];
    if (samples.data == nullptr) fail_jpeg_2000("a channel has no samples");
    for (std::size_t i = 0; i < count; ++i)
      image.pixels[i * channels + channel] = sample_of(samples, i);
  }
  return image;
}

}  // namespace

Image decode_jpeg_2000(std::span<const std::byte> bytes, MemoryCap* cap) {
  ByteSource source{bytes};
  const bool is_codestream = !bytes.empty() && bytes[0] == std::byte{0xff};
  const Stream stream = open_stream(source);
  const Codec codec(opj_create_decompress(is_codestream ? OPJ_CODEC_J2K : OPJ_CODEC_JP2),
                    opj_destroy_codec);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  if (codec == nullptr || opj_setup_decoder(codec.get(), &parameters) == OPJ_FALSE)
    fail_jpeg_2000("there is no memory for a decoder");
  opj_image_t* header = nullptr;
  const OPJ_BOOL has_header = opj_read_header(stream.get(), codec.get(), &header);
  const Decoded decoded(header, opj_image_destroy);
  if (has_header == OPJ_FALSE || header == nullptr || header->numcomps == 0)
    fail_jpeg_2000("its header is damaged");
  const std::int64_t width = std::int64_t{header->x1} - header->x0;
  const std::int64_t height = std::int64_t{header->y1} - header->y0;
  // Two channels are gray and alpha.
  Image image = make_image(width, height, header->numcomps >= 3 ? 3 : 1, bytes.size(), cap);
  // The decoder keeps each channel in 32 bits, and its wavelet coefficients beside.
  const std::int64_t kept = width * height * 8;
  const MemoryReservation counted(cap, kept * header->numcomps, "decoding a JPEG 2000 image");
  if (opj_decode(codec.get(), stream.get(), header) == OPJ_FALSE)
    fail_jpeg_2000("its pixels are damaged");
  check_channels(*header);
  if (header->comps[0].w != width || header->comps[0].h != height) {
    throw Error(ErrorCode::unsupported, "the JPEG 2000 image is subsampled",
                "convert it to one without subsampling");
  }
  if (header->color_space == OPJ_CLRSPC_SYCC || header->color_space == OPJ_CLRSPC_EYCC) {
    throw Error(ErrorCode::unsupported, "the JPEG 2000 image has the color space YCC",
                "convert it to RGB");
  }
  return pixels_of(*header, std::move(image));
}

}  // namespace ortool
