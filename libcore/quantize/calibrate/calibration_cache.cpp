// Calibration cache key: covers model and settings; samples are identified by digests.
#include "libcore/quantize/calibrate/calibration_cache.hpp"

#include <filesystem>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/dataset/parts/check_parts.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/parts/calibration_parts.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_cache_bytes = std::int64_t{16} << 30;
constexpr std::size_t digest_digits = 32;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void add_tensor(const Tensor& tensor, Sha256& hash) {
  hash.update(bytes_of(format("{} {};", name_of(tensor.type()), tensor.shape().to_string())));
  if (tensor.type() == DataType::string) {
    for (const std::string& text : tensor.strings()) hash.update(bytes_of(text));
    return;
  }
  hash.update({tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
}

/// Hashes the file, which defines the computation, and the constants after preparation.
std::string hash_model(const std::string& path, const Model& prepared) {
  Sha256 hash;
  hash.update(bytes_of(sha256_of(MappedFile::open(path).bytes())));
  for (const Graph* graph : graphs_in(prepared)) {
    for (const Value* value : graph->values()) {
      if (!value->is_constant()) continue;
      hash.update(bytes_of(value->name()));
      add_tensor(value->constant(), hash);
    }
  }
  return hash.finish();
}

Error no_fit(std::string message, std::string hint) {
  Error error(ErrorCode::invalid, std::move(message), std::move(hint));
  error.with_id("quantize.cache");
  return error;
}

}  // namespace

std::string digest_of(const NamedValues& inputs) {
  Sha256 hash;
  for (const auto& [name, value] : inputs) {
    hash.update(bytes_of(name));
    if (value.is_tensor()) add_tensor(value.tensor(), hash);
  }
  return hash.finish().substr(0, digest_digits);
}

CalibrationCache::CalibrationCache(const TaskContext& task, const QuantizeData& data,
                                   const std::string& model_path, const Model& prepared)
    : memory_(task.memory), paths_(data.caches) {
  if (paths_.empty()) return;
  if (model_path == "-")
    throw no_fit(format("option {}: a model from standard input has no cache",
                        setting_name("calibration-cache")),
                 "give the model as a file");
  model_hash_ = hash_model(model_path, prepared);
  if (data.is_random) data_kind_ = "random";
}

std::string CalibrationCache::key_for(const CalibrationSettings& settings) const {
  return calibration_key(model_hash_, data_kind_, settings);
}

/// The calibration in the bytes of a file, which are that or a part around it.
std::string CalibrationCache::unwrapped(std::string bytes, const std::string& path,
                                        const CalibrationSettings* settings,
                                        const Part* part) const {
  if (part == nullptr) {
    if (!is_part(bytes)) return bytes;
    throw no_fit(
        format("this is shard {} of a calibration", parse_part(bytes, path).task.shard.to_string()),
        "join the shards with `ortool merge PART... -o FILE`, and give that file");
  }
  Part found = parse_part(bytes, path);
  PartTask expected = part->task;
  if (settings != nullptr) add_calibration_key(expected, key_for(*settings));
  std::string difference = task_difference(found.task, expected);
  if (difference.empty() && found.task.shard != expected.shard)
    difference = format("it is shard {} instead of {}", found.task.shard.to_string(),
                        expected.shard.to_string());
  if (difference.empty()) return std::move(found.payload);
  throw no_fit(format("is of another task: {}", difference),
               "give each shard a file of its own, or remove this one to calibrate again");
}

std::optional<Calibration> CalibrationCache::load(const CalibrationSettings* settings,
                                                  const Part* part) const {
  std::optional<Calibration> whole;
  for (const std::string& path : paths_) {
    if (paths_.size() == 1 && !std::filesystem::exists(path)) return std::nullopt;
    try {
      const std::string bytes =
          unwrapped(read_text_file(path, max_cache_bytes, &memory_), path, settings, part);
      Calibration read = Calibration::parse(bytes, settings != nullptr ? key_for(*settings) : "");
      if (settings == nullptr) read = Calibration::parse(bytes, key_for(read.settings()));
      if (whole) {
        whole->merge(read);
      } else {
        whole = std::move(read);
      }
    } catch (Error& error) {
      // Which begins with the path already.
      if (error.id() != "part.file") error.in(path);
      throw;
    }
  }
  return whole;
}

void CalibrationCache::check_data(const Calibration& state, CalibrationData& data,
                                  std::int64_t count) const {
  for (const auto& [first, last] : state.samples().intervals()) {
    if (last > count) {
      throw no_fit(
          format("the calibration contains sample {}, but only {} samples are requested", last - 1,
                 count),
          format("request as many samples, or use another {}", setting_name("calibration-cache")));
    }
    for (std::int64_t number = first; number < last; ++number) {
      if (state.digest(number) == digest_of(data.sample(number).inputs)) continue;
      throw no_fit(
          format("sample {} of the data differs from the one in the calibration", number),
          format("give the same data, or use another {}", setting_name("calibration-cache")));
    }
  }
}

void CalibrationCache::save(const Calibration& state, const Part* part) const {
  if (paths_.size() != 1) return;
  const std::string key = key_for(state.settings());
  if (part != nullptr) {
    Part whole = *part;
    whole.path = paths_.front();
    add_calibration_key(whole.task, key);
    whole.payload = state.serialize(key);
    return write_part_file(whole);
  }
  AtomicFile file(paths_.front());
  file.write(state.serialize(key));
  file.commit();
}

}  // namespace ortool
