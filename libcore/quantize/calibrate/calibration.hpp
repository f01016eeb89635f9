// Calibration state: statistics of a model's values that accumulate, merge and serialize.
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

/// A value to calibrate, identified by its name in the graph that is run.
struct ValueRequest {
  std::string name;
  /// The axis to record per channel: for constant channels, bias correction and SmoothQuant.
  std::optional<std::int64_t> channel_axis;

  bool operator==(const ValueRequest&) const = default;
};

struct CalibrationSettings {
  std::vector<ValueRequest> values;
  /// Needed by all methods except minmax and moving_average.
  bool with_histograms = true;
  /// The smoothing factor of moving averages, in (0, 1); 0: none are kept. See RecordOptions.
  double averaging_constant = 0;

  bool operator==(const CalibrationSettings&) const = default;
};

/// A set of sample indices, stored as disjoint, non-adjacent ranges [first, second).
class SampleIds {
 public:
  /// Throws ErrorCode::invalid for an index that is already present.
  void add(std::int64_t number) { add_interval(number, number + 1); }
  void add_interval(std::int64_t first, std::int64_t last);
  bool contains(std::int64_t number) const;
  std::int64_t count() const;
  const std::vector<std::pair<std::int64_t, std::int64_t>>& intervals() const { return intervals_; }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals_;
};

/// Value statistics by name, and the samples they cover. Splitting the samples in any way,
/// calibrating the parts separately and merging gives a bit-identical result to one pass over all.
/// Ranges are derived later (methods.hpp), so another method needs no second pass.
class Calibration {
 public:
  explicit Calibration(CalibrationSettings settings);

  /// Adds the samples of another calibration with the same settings. Throws ErrorCode::invalid for
  /// different settings, for samples present in both, and for moving averages.
  void merge(const Calibration& other);

  const CalibrationSettings& settings() const { return settings_; }
  /// Null for a value that was not requested. A value that was never computed has tensors() == 0.
  const ValueRecord* find(std::string_view name) const;
  ValueRecord* find(std::string_view name);
  const std::map<std::string, ValueRecord, std::less<>>& records() const { return records_; }
  const SampleIds& samples() const { return samples_; }
  /// Marks sample `number` as fully recorded.
  void finish_sample(std::int64_t number) { samples_.add(number); }
  /// Stores a digest of the sample's inputs, so that duplicate samples can be detected later.
  void set_digest(std::int64_t number, std::string digest) { digests_[number] = std::move(digest); }
  /// Empty for a sample without a digest.
  std::string_view digest(std::int64_t number) const;

  /// Serializes the state. `key` identifies the model, data and settings, see calibration_key().
  std::string serialize(std::string_view key) const;
  /// The inverse. Throws ErrorCode::invalid for corrupt data, and for a different key unless `key`
  /// is empty.
  static Calibration parse(std::string_view bytes, std::string_view key);

 private:
  CalibrationSettings settings_;
  std::map<std::string, ValueRecord, std::less<>> records_;
  SampleIds samples_;
  std::map<std::int64_t, std::string> digests_;
};

/// A hash of everything the statistics depend on: the hashes of model and data (the latter empty
/// where samples have digests), and the settings.
std::string calibration_key(std::string_view model_hash, std::string_view data_hash,
                            const CalibrationSettings& settings);

}  // namespace ortool
