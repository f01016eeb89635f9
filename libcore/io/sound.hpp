// Sound files, decoded with libsndfile: WAV, FLAC and MP3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ortool {

class MemoryCap;

enum class SoundFormat { any, flac, mp3, wav };

/// Samples in [-1, 1], channels interleaved.
struct SoundFile {
  std::int64_t sample_rate = 0;
  std::int64_t channels = 0;
  std::vector<float> samples;
};

/// Decodes a file of a format, which `any` recognizes by its first bytes. What the samples take is
/// checked against `cap` (may be null) before they are read, block by block, and not kept reserved.
/// Throws ErrorCode::invalid for damaged files and others.
SoundFile decode_sound(std::span<const std::byte> bytes, SoundFormat format, MemoryCap* cap);

}  // namespace ortool
