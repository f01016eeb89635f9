// Sound files: samples, and files that are damaged.
#include "libcore/io/sound.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {
namespace {

std::string little(std::uint64_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

/// A WAV file of 16 bits; `stated` is the length of its samples by its header.
std::string wav_of(const std::string& samples, std::uint64_t stated) {
  const std::string body = "WAVEfmt " + little(16, 4) + little(1, 2) + little(1, 2) +
                           little(8000, 4) + little(16000, 4) + little(2, 2) + little(16, 2) +
                           "data" + little(stated, 4) + samples;
  return "RIFF" + little(body.size(), 4) + body;
}

/// A FLAC file of one frame: 16 samples, all 0x1234.
std::string constant_flac() {
  const std::string info = std::string("\0\x10\0\x10\0\0\0\0\0\0", 10) +
                           std::string("\x01\xf4\x00\xf0\0\0\0\x10", 8) + std::string(16, '\0');
  return std::string("fLaC\x80\0\0\x22", 8) + info +
         std::string("\xff\xf8\x64\x08\0\x0f\x5e\0\x12\x34\x38\xd0", 12);
}

SoundFile decoded(const std::string& bytes, MemoryCap* cap = nullptr) {
  return decode_sound(std::as_bytes(std::span(bytes)), SoundFormat::any, cap);
}

/// Every file that lacks its end or has one byte changed is decoded or one error.
void check_damaged(const std::string& file) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    try {
      decoded(file.substr(0, size));
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::invalid);
    }
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      MemoryCap cap(std::int64_t{1} << 26);
      try {
        decoded(damaged, &cap);
      } catch (const Error& error) {
        CHECK((error.code() == ErrorCode::invalid || error.code() == ErrorCode::memory_limit));
      }
      CHECK(cap.used_bytes() == 0);
    }
  }
}

}  // namespace

TEST_CASE("a WAV file is read as samples") {
  const SoundFile sound = decoded(wav_of(little(0x4000, 2) + little(0xc000, 2), 4));
  CHECK(sound.sample_rate == 8000);
  CHECK(sound.channels == 1);
  CHECK(sound.samples == std::vector<float>{0.5F, -0.5F});
}

TEST_CASE("a WAV file that states more samples than it has is not trusted") {
  MemoryCap cap(std::int64_t{1} << 24);
  const SoundFile sound = decoded(wav_of(little(0x4000, 2), 0xfffffff0), &cap);
  CHECK(sound.samples.size() <= 1);
  CHECK(cap.peak_bytes() <= std::int64_t{1} << 21);
}

TEST_CASE("damaged sounds are decoded or one error") {
  check_damaged(wav_of(little(0x4000, 2) + little(0xc000, 2), 4));
  check_damaged(constant_flac());
  check_damaged(std::string("ID3\x04\0\0\0\0\0\0", 10) + std::string("\xff\xfb\x90\x64", 4) +
                std::string(413, '\x55'));
}

TEST_CASE("the decoder of a sound needs room for its samples") {
  MemoryCap cap(1000);
  CHECK_THROWS_AS(decoded(wav_of(little(0x4000, 2), 2), &cap), Error);
}

}  // namespace ortool
