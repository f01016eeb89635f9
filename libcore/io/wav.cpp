// WAV audio: chunks of a RIFF file, and conversion of its samples.
#include "libcore/io/wav.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::uint32_t pcm_tag = 1;
constexpr std::uint32_t float_tag = 3;
constexpr std::uint32_t extensible_tag = 0xFFFE;
/// The size of a chunk whose writer did not know it.
constexpr std::uint64_t unknown_size = 0xFFFFFFFF;

[[noreturn]] void fail_wav(std::string_view reason) {
  throw Error(ErrorCode::invalid, format("the WAV file cannot be read: {}", reason),
              "the file is damaged or truncated");
}

/// A little-endian number of up to four bytes.
std::uint32_t read_le(std::span<const std::byte> bytes, std::size_t first, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i)
    number |= std::to_integer<std::uint32_t>(bytes[first + i]) << (8 * i);
  return number;
}

std::string_view text_at(std::span<const std::byte> bytes, std::size_t first) {
  return {reinterpret_cast<const char*>(bytes.data() + first), 4};
}

void read_format(std::span<const std::byte> chunk, WavFile& file) {
  if (chunk.size() < 16) fail_wav("its format chunk is too short");
  std::uint32_t tag = read_le(chunk, 0, 2);
  if (tag == extensible_tag && chunk.size() >= 26) tag = read_le(chunk, 24, 2);
  const std::uint32_t bits = read_le(chunk, 14, 2);
  file.channels = read_le(chunk, 2, 2);
  file.sample_rate = read_le(chunk, 4, 4);
  file.sample_bytes = bits / 8;
  file.encoding = tag == float_tag ? WavFile::Encoding::floating : WavFile::Encoding::integer;
  const bool is_known = tag == float_tag
                            ? bits == 32 || bits == 64
                            : tag == pcm_tag && bits >= 8 && bits <= 32 && bits % 8 == 0;
  if (!is_known) {
    throw Error(ErrorCode::unsupported,
                format("WAV encoding {} with {} bits per sample is not supported", tag, bits),
                "convert it to 16-bit PCM, as by ffmpeg -i in.wav -c:a pcm_s16le out.wav");
  }
  if (file.channels == 0) fail_wav("it has no channels");
}

/// A sample as a number from -1 to 1.
double sample_at(const WavFile& file, std::int64_t index) {
  const auto size = static_cast<std::size_t>(file.sample_bytes);
  const std::size_t first = static_cast<std::size_t>(index) * size;
  if (size == 8) {
    const std::uint64_t bits = read_le(file.samples, first, 4) |
                               static_cast<std::uint64_t>(read_le(file.samples, first + 4, 4))
                                   << 32U;
    return std::bit_cast<double>(bits);
  }
  const std::uint32_t bits = read_le(file.samples, first, size);
  if (file.encoding == WavFile::Encoding::floating) return std::bit_cast<float>(bits);
  // 8-bit samples are unsigned.
  if (size == 1) return (static_cast<double>(bits) - 128) / 128;
  const std::uint32_t shifted = bits << (32 - 8 * size);
  return static_cast<double>(static_cast<std::int32_t>(shifted)) / 2147483648.0;
}

/// The shape for an input of `dimensions`; empty if the channels do not fit.
std::vector<std::int64_t> shape_for(const WavFile& file, std::span<const std::int64_t> dimensions) {
  const auto takes = [&](std::size_t axis, std::int64_t size) {
    return dimensions[axis] < 0 || dimensions[axis] == size;
  };
  if (dimensions.size() == 3 && takes(1, file.channels)) return {1, file.channels, file.frames};
  if (dimensions.size() == 2 && takes(0, file.channels)) return {file.channels, file.frames};
  if (dimensions.size() < 2 && file.channels == 1) return {file.frames};
  return {};
}

}  // namespace

std::string WavFile::describe() const {
  const double seconds =
      sample_rate > 0 ? static_cast<double>(frames) / static_cast<double>(sample_rate) : 0;
  return format("{} Hz, {} channel{}, {} s", sample_rate, channels, channels == 1 ? "" : "s",
                fixed_number(seconds, 2));
}

WavFile open_wav(std::span<const std::byte> bytes) {
  constexpr std::size_t header_bytes = 12;
  constexpr std::size_t chunk_header_bytes = 8;
  if (bytes.size() < header_bytes || text_at(bytes, 0) != "RIFF" || text_at(bytes, 8) != "WAVE")
    fail_wav("it does not begin with RIFF and WAVE");
  WavFile file;
  std::span<const std::byte> rest = bytes.subspan(header_bytes);
  while (rest.size() >= chunk_header_bytes) {
    const std::string_view name = text_at(rest, 0);
    const std::uint64_t wanted = read_le(rest, 4, 4);
    const bool is_data = name == "data";
    rest = rest.subspan(chunk_header_bytes);
    if (wanted > rest.size() && !(is_data && wanted == unknown_size))
      fail_wav(format("a chunk of {} bytes goes beyond its end", wanted));
    const std::size_t size = std::min<std::size_t>(wanted, rest.size());
    if (name == "fmt ") read_format(rest.first(size), file);
    if (is_data) {
      if (file.channels == 0) fail_wav("its samples come before their format");
      const auto frame_bytes = static_cast<std::size_t>(file.channels * file.sample_bytes);
      file.frames = static_cast<std::int64_t>(size / frame_bytes);
      file.samples = rest.first(size);
      return file;
    }
    // Chunks are padded to even sizes.
    rest = rest.subspan(std::min(rest.size(), size + size % 2));
  }
  fail_wav("it has no samples");
}

Tensor wav_to_tensor(const WavFile& file, DataType type, std::span<const std::int64_t> dimensions,
                     MemoryCap* cap) {
  if (!is_floating_point(type)) {
    throw Error(ErrorCode::invalid,
                format("audio holds samples from -1 to 1, but the input takes {}", name_of(type)),
                "give the values that the model takes as .npy");
  }
  std::vector<std::int64_t> sizes = shape_for(file, dimensions);
  if (sizes.empty()) {
    throw Error(ErrorCode::invalid,
                format("audio of {} does not fit the input, which takes other channels or axes",
                       file.describe()),
                "convert it, as by ffmpeg -i in.wav -ac 1 out.wav, or give the values as .npy");
  }
  Tensor tensor(type, Shape(sizes), cap);
  for (std::int64_t channel = 0; channel < file.channels; ++channel) {
    for (std::int64_t frame = 0; frame < file.frames; ++frame) {
      set_element(tensor, channel * file.frames + frame,
                  sample_at(file, frame * file.channels + channel));
    }
  }
  return tensor;
}

}  // namespace ortool
