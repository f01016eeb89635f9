// Log-mel spectrogram of audio, as Whisper's feature extractor computes it.
#pragma once

#include <cstdint>

#include "libcore/io/wav.hpp"

namespace ortool {

struct LogMelOptions {
  std::int64_t bands = 80;
  std::int64_t sample_rate = 16000;
  std::int64_t hop = 160;         ///< samples between frames
  std::int64_t window = 400;      ///< samples of a frame; even
  std::int64_t samples = 480000;  ///< longer audio is cut, shorter is followed by silence
};

/// float32 [1, bands, samples / hop], from the mean of the channels. Throws ErrorCode::invalid for
/// another sample rate.
Tensor log_mel_spectrogram(const WavFile& file, const LogMelOptions& options, MemoryCap* cap);

}  // namespace ortool
