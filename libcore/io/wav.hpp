// WAV audio: samples of a RIFF file as a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The header of a WAV file, and the bytes of its samples.
struct WavFile {
  enum class Encoding { integer, floating };

  Encoding encoding = Encoding::integer;
  std::int64_t sample_rate = 0;
  std::int64_t channels = 0;
  std::int64_t sample_bytes = 0;
  std::int64_t frames = 0;  ///< samples per channel
  std::span<const std::byte> samples;

  /// "16000 Hz, 1 channel, 2.50 s".
  std::string describe() const;
};

/// Reads the header. Throws ErrorCode::invalid for a damaged file, ErrorCode::unsupported for other
/// encodings than PCM of 8 to 32 bits and floats.
WavFile open_wav(std::span<const std::byte> bytes);

/// The samples in floating-point type `type`, integers divided so that they are in [-1, 1), for an
/// input of `dimensions` (-1 is unknown; none: unknown rank): [samples], [batch or channels,
/// samples] or [batch, channels, samples]. Throws ErrorCode::invalid if the input takes neither as
/// many channels nor floats.
Tensor wav_to_tensor(const WavFile& file, DataType type, std::span<const std::int64_t> dimensions,
                     MemoryCap* cap);

}  // namespace ortool
