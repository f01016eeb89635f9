// Sound configurations: the preprocessor_config.json of Whisper beside a model.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/io/log_mel.hpp"

namespace ortool {

struct SoundConfig {
  LogMelOptions options;
  std::string source;  ///< the file
};

/// How audio is prepared for `input`, if a file in the model's folder, or above a folder named
/// "onnx", describes Whisper's feature extractor and the input has three axes. Throws
/// ErrorCode::unsupported for sizes out of range.
std::optional<SoundConfig> find_sound_config(const Model& model, const Value& input);

}  // namespace ortool
