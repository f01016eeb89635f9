// What a model's values are like on calibration data: a state that grows, merges and is kept in
// files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/quantize/calibrate/value_record.hpp"

namespace ortool {

/// A value that calibration looks at, by its name in the graph that is run.
struct ValueRequest {
  std::string name;
  /// Record this axis index by index, for constant channels, bias correction and SmoothQuant.
  std::optional<std::int64_t> channel_axis;

  bool operator==(const ValueRequest&) const = default;
};

struct CalibrationSettings {
  std::vector<ValueRequest> values;
  /// Needed by all methods but minmax and moving_average.
  bool with_histograms = true;
  /// Of moving averages, in (0, 1); 0: none. See RecordOptions.
  double averaging_constant = 0;

  bool operator==(const CalibrationSettings&) const = default;
};

/// Numbers of samples, as stretches [first, second) that do not touch.
class SampleNumbers {
 public:
  /// Throws ErrorCode::invalid for a number that is there already.
  void add(std::int64_t number) { add_stretch(number, number + 1); }
  void add_stretch(std::int64_t first, std::int64_t last);
  bool contains(std::int64_t number) const;
  std::int64_t count() const;
  const std::vector<std::pair<std::int64_t, std::int64_t>>& stretches() const { return stretches_; }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches_;
};

/// Records by name, and which samples they hold. A split of the samples into any parts, calibrated
/// apart and merged, gives the bytes of one pass over all. The methods that make ranges of it come
/// later (methods.hpp): another method needs no other pass.
class Calibration {
 public:
  explicit Calibration(CalibrationSettings settings);

  /// Adds the samples of another calibration with the same settings. Throws ErrorCode::invalid for
  /// other settings, samples that both hold, and moving averages.
  void merge(const Calibration& other);

  const CalibrationSettings& settings() const { return settings_; }
  /// Null for a value that was not asked for. One that was never computed has no tensors().
  const ValueRecord* find(std::string_view name) const;
  ValueRecord* find(std::string_view name);
  const std::map<std::string, ValueRecord, std::less<>>& records() const { return records_; }
  const SampleNumbers& samples() const { return samples_; }
  /// Says that sample `number` is wholly in the records.
  void finish_sample(std::int64_t number) { samples_.add(number); }
  /// Remembers what a sample's inputs were, so that they can be told from others later.
  void set_digest(std::int64_t number, std::string digest) { digests_[number] = std::move(digest); }
  /// Empty for a sample that has none.
  std::string_view digest(std::int64_t number) const;

  /// The state as bytes. `key` says of which model, data and settings, see calibration_key().
  std::string serialize(std::string_view key) const;
  /// The inverse. Throws ErrorCode::invalid for damaged bytes, and for another key when `key` is
  /// not empty.
  static Calibration parse(std::string_view bytes, std::string_view key);

 private:
  CalibrationSettings settings_;
  std::map<std::string, ValueRecord, std::less<>> records_;
  SampleNumbers samples_;
  std::map<std::int64_t, std::string> digests_;
};

/// One hash of everything that the records depend on: the hashes of the model and the data (empty
/// where samples have digests), and the settings.
std::string calibration_key(std::string_view model_hash, std::string_view data_hash,
                            const CalibrationSettings& settings);

}  // namespace ortool
