// Sound files: recognized by their first bytes, so that no other decoder of the library runs.
#include "libcore/io/sound.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sndfile.h>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_samples = std::int64_t{1} << 31;
constexpr std::int64_t block_samples = std::int64_t{1} << 18;

/// The bytes that the library reads as a file.
struct SoundBytes {
  std::span<const std::byte> bytes;
  sf_count_t at = 0;

  sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }
};

sf_count_t size_of_sound(void* data) {
  return static_cast<SoundBytes*>(data)->size();
}

sf_count_t seek_sound(sf_count_t offset, int from, void* data) {
  auto* file = static_cast<SoundBytes*>(data);
  const sf_count_t base = from == SEEK_CUR ? file->at : from == SEEK_END ? file->size() : 0;
  // Offsets come from the file; those beyond its ends stay at them.
  if (offset > 0 && base > file->size() - std::min(offset, file->size())) {
    file->at = file->size();
  } else {
    file->at = std::clamp<sf_count_t>(base + std::min(offset, file->size()), 0, file->size());
  }
  return file->at;
}

sf_count_t read_sound(void* out, sf_count_t count, void* data) {
  auto* file = static_cast<SoundBytes*>(data);
  count = std::clamp<sf_count_t>(count, 0, file->size() - file->at);
  if (count > 0) std::memcpy(out, file->bytes.data() + file->at, static_cast<std::size_t>(count));
  file->at += count;
  return count;
}

sf_count_t write_nothing(const void*, sf_count_t, void*) {
  return 0;
}

sf_count_t tell_sound(void* data) {
  return static_cast<SoundBytes*>(data)->at;
}

SoundFormat sound_format_of(std::span<const std::byte> bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                               std::min<std::size_t>(bytes.size(), 4));
  if (start == "fLaC") return SoundFormat::flac;
  if (start == "RIFF") return SoundFormat::wav;
  const bool is_frame = start.size() == 4 && static_cast<unsigned char>(start[0]) == 0xff &&
                        (static_cast<unsigned char>(start[1]) & 0xe0U) == 0xe0;
  return is_frame || start.starts_with("ID3") ? SoundFormat::mp3 : SoundFormat::any;
}

bool is_of_format(int library_format, SoundFormat format) {
  const int type = library_format & SF_FORMAT_TYPEMASK;
  if (format == SoundFormat::flac) return type == SF_FORMAT_FLAC;
  if (format == SoundFormat::mp3) return type == SF_FORMAT_MPEG;
  return type == SF_FORMAT_WAV || type == SF_FORMAT_WAVEX;
}

[[noreturn]] void fail_sound(std::string_view problem) {
  throw Error(ErrorCode::invalid,
              format("the sound cannot be decoded: {}", escape_control_characters(problem)),
              "the file is damaged or truncated");
}

/// Reads to the end. Files may state more than they hold, or nothing.
void read_samples(SNDFILE* file, const SF_INFO& info, SoundFile& sound, MemoryCap* cap) {
  const std::int64_t frames = std::max<std::int64_t>(block_samples / info.channels, 1);
  const std::int64_t block = frames * info.channels;
  while (true) {
    const auto size = static_cast<std::int64_t>(sound.samples.size());
    if (size > most_samples) fail_sound("it has more than 2^31 samples");
    if (static_cast<std::size_t>(size + block) > sound.samples.capacity()) {
      // Both buffers exist while the vector grows.
      const std::int64_t room = std::max(size * 2, size + block);
      const MemoryReservation both(cap, (size + room) * static_cast<std::int64_t>(sizeof(float)),
                                   "a sound");
      sound.samples.reserve(static_cast<std::size_t>(room));
    }
    sound.samples.resize(static_cast<std::size_t>(size + block));
    const sf_count_t count = sf_readf_float(file, sound.samples.data() + size, frames);
    sound.samples.resize(
        static_cast<std::size_t>(size + std::clamp<sf_count_t>(count, 0, frames) * info.channels));
    if (count <= 0) return;
  }
}

}  // namespace

SoundFile decode_sound(std::span<const std::byte> bytes, SoundFormat wanted, MemoryCap* cap) {
  const SoundFormat found = sound_format_of(bytes);
  if (found == SoundFormat::any || (wanted != SoundFormat::any && wanted != found)) {
    throw Error(ErrorCode::invalid, "the format of the sound is not recognized by its first bytes",
                "WAV, FLAC and MP3 are read");
  }
  SoundBytes source{.bytes = bytes};
  SF_VIRTUAL_IO callbacks = {size_of_sound, seek_sound, read_sound, write_nothing, tell_sound};
  SF_INFO info = {};
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(
      sf_open_virtual(&callbacks, SFM_READ, &info, &source), sf_close);
  if (file == nullptr) fail_sound(sf_strerror(nullptr));
  if (!is_of_format(info.format, found)) fail_sound("its content is of another format");
  if (info.channels < 1 || info.channels > 1024 || info.samplerate < 1)
    fail_sound("its header has no channels or no sample rate");
  SoundFile sound{.sample_rate = info.samplerate, .channels = info.channels, .samples = {}};
  read_samples(file.get(), info, sound, cap);
  if (sf_error(file.get()) != SF_ERR_NO_ERROR) fail_sound(sf_strerror(file.get()));
  if ((info.format & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_U8) {
    // Bytes from 0 to 255 fill [-1, 1]; the library makes n / 128 - 1 of them.
    for (float& sample : sound.samples) sample = (sample * 128 + 128) / 127.5F - 1;
  }
  return sound;
}

}  // namespace ortool
