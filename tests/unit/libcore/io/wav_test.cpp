// WAV files: encodings, channels, and files that are damaged.
#include "libcore/io/wav.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

std::string le(std::uint64_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

std::string chunk(const std::string& name, const std::string& data) {
  return name + le(data.size(), 4) + data + (data.size() % 2 != 0 ? std::string(1, '\0') : "");
}

std::string wav(std::uint64_t tag, std::uint64_t channels, std::uint64_t bits,
                const std::string& samples) {
  const std::uint64_t frame = channels * bits / 8;
  const std::string body = "WAVE" +
                           chunk("fmt ", le(tag, 2) + le(channels, 2) + le(16000, 4) +
                                             le(16000 * frame, 4) + le(frame, 2) + le(bits, 2)) +
                           chunk("LIST", "odd") + chunk("data", samples);
  return "RIFF" + le(body.size(), 4) + body;
}

WavFile opened(const std::string& bytes) {
  return open_wav(std::as_bytes(std::span(bytes)));
}

std::vector<double> samples_of(const std::string& bytes, std::vector<std::int64_t> dimensions) {
  const Tensor tensor = wav_to_tensor(opened(bytes), DataType::float32, dimensions, nullptr);
  std::vector<double> samples(static_cast<std::size_t>(tensor.element_count()));
  read_doubles(tensor, 0, samples);
  return samples;
}

TEST_CASE("samples of every encoding are from -1 to 1") {
  const std::vector<double> wanted = {0.5, -1};
  CHECK(samples_of(wav(1, 1, 8, le(192, 1) + le(0, 1)), {-1}) == wanted);
  CHECK(samples_of(wav(1, 1, 16, le(0x4000, 2) + le(0x8000, 2)), {-1}) == wanted);
  CHECK(samples_of(wav(1, 1, 24, le(0x400000, 3) + le(0x800000, 3)), {-1}) == wanted);
  CHECK(samples_of(wav(1, 1, 32, le(0x40000000, 4) + le(0x80000000, 4)), {-1}) == wanted);
  CHECK(samples_of(wav(3, 1, 32, le(0x3F000000, 4) + le(0xBF800000, 4)), {-1}) == wanted);
  CHECK(samples_of(wav(3, 1, 64, le(0x3FE0000000000000, 8) + le(0xBFF0000000000000, 8)), {-1}) ==
        wanted);
}

TEST_CASE("channels are planes of the tensor") {
  const std::string stereo = wav(1, 2, 8, le(0, 1) + le(192, 1) + le(128, 1) + le(64, 1));
  CHECK(samples_of(stereo, {2, -1}) == std::vector<double>{-1, 0, 0.5, -0.5});
  const WavFile file = opened(stereo);
  CHECK(file.describe() == "16000 Hz, 2 channels, 0.00 s");
  CHECK(wav_to_tensor(file, DataType::float64, std::vector<std::int64_t>{-1, -1, -1}, nullptr)
            .shape() == Shape{1, 2, 2});
  CHECK_THROWS_AS(samples_of(stereo, {-1}), Error);
  CHECK_THROWS_AS(samples_of(stereo, {1, -1}), Error);
  const std::string mono = wav(1, 1, 8, le(0, 1));
  CHECK(wav_to_tensor(opened(mono), DataType::float32, std::vector<std::int64_t>{-1, -1}, nullptr)
            .shape() == Shape{1, 1});
  CHECK_THROWS_AS(
      wav_to_tensor(opened(mono), DataType::int64, std::vector<std::int64_t>{-1}, nullptr), Error);
}

TEST_CASE("damaged files and other encodings are errors") {
  const std::string good = wav(1, 1, 16, le(1, 2));
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(opened(good.substr(0, size)), Error);
  }
  CHECK_THROWS_WITH(opened(wav(2, 1, 4, le(1, 2))), Catch::Contains("encoding 2"));
  CHECK_THROWS_AS(opened(wav(1, 0, 16, le(1, 2))), Error);
  CHECK_THROWS_AS(opened(wav(3, 1, 16, le(1, 2))), Error);
  // A stream's length is not known when its header is written.
  std::string stream = good;
  stream.replace(stream.size() - 6, 4, le(0xFFFFFFFF, 4));
  CHECK(opened(stream).frames == 1);
}

}  // namespace
}  // namespace ortool
