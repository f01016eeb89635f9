// Reads Whisper's preprocessor_config.json.
#include "libcore/dataset/sound_config.hpp"

#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_sound_config_bytes = std::int64_t{16} << 20;
constexpr std::int64_t max_frames = 20000;

/// The whole number under the key; throws outside [1, most].
std::int64_t size_at(const Json& config, std::string_view key, std::int64_t otherwise,
                     std::int64_t most) {
  const Json* value = config.find(key);
  if (value == nullptr || !value->is_number()) return otherwise;
  const double number = value->number();
  if (number >= 1 && number <= static_cast<double>(most)) return static_cast<std::int64_t>(number);
  throw Error(ErrorCode::unsupported, format("'{}' is {} (expected 1 to {})", key, number, most));
}

LogMelOptions read_log_mel(const Json& config) {
  LogMelOptions options;
  options.bands = size_at(config, "feature_size", options.bands, 512);
  options.sample_rate = size_at(config, "sampling_rate", options.sample_rate, 192000);
  options.hop = size_at(config, "hop_length", options.hop, 8192);
  options.window = size_at(config, "n_fft", options.window, 1024);
  options.samples = size_at(config, "chunk_length", 30, 120) * options.sample_rate;
  if (options.window % 2 != 0 || options.samples / options.hop > max_frames ||
      options.samples <= options.window) {
    throw Error(ErrorCode::unsupported,
                format("windows of {} samples every {} in {} (expected an even size, and at most "
                       "{} windows)",
                       options.window, options.hop, options.samples, max_frames));
  }
  return options;
}

std::optional<SoundConfig> config_beside(const fs::path& folder) {
  std::error_code failure;
  const fs::path path = folder / "preprocessor_config.json";
  if (!fs::is_regular_file(path, failure)) return std::nullopt;
  const Json config =
      parse_json(read_text_file(path.string(), max_sound_config_bytes), path.string());
  const Json* kind = config.find("feature_extractor_type");
  if (kind == nullptr || !kind->is_text() || kind->text() != "WhisperFeatureExtractor")
    return std::nullopt;
  try {
    return SoundConfig{read_log_mel(config), path.string()};
  } catch (Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace

std::optional<SoundConfig> find_sound_config(const Model& model, const Value& input) {
  const PartialShape& shape = input.type().shape;
  if (model.directory.empty() || !shape || shape->size() != 3) return std::nullopt;
  const fs::path folder = model.directory;
  if (auto found = config_beside(folder)) return found;
  std::error_code failure;
  const fs::path canonical = fs::weakly_canonical(folder, failure);
  if (failure || canonical.filename() != "onnx") return std::nullopt;
  return config_beside(canonical.parent_path());
}

}  // namespace ortool
