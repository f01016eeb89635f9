// The samples to calibrate with: those of all sets given, one set after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/data/sample_set.hpp"

namespace ortool {

class CalibrationData {
 public:
  /// Opens the sets that `option` names; for calibration-data with --allow-random-calibration they
  /// are made up, 16 samples where --samples says nothing. Inputs and outputs are those of the
  /// model to run and outlive this. Throws what open_sample_set() does, and ErrorCode::invalid for
  /// --samples beyond what there is. --samples counts for the calibration data alone.
  CalibrationData(const Invocation& invocation, std::string_view option,
                  std::span<Value* const> inputs, std::span<Value* const> outputs);

  /// The samples to take are first() to size() - 1.
  std::int64_t first() const { return first_; }
  std::int64_t size() const { return size_; }
  /// The names of the classes by number, where the first set says so.
  std::vector<std::string> class_names() const;
  /// Sample `index`: the next one is cheap, an earlier one reads its set again from the start.
  Sample sample(std::int64_t index);
  /// The sample read last, for messages: "pictures: cat.png".
  const std::string& last_read() const { return last_read_; }

 private:
  std::unique_ptr<SampleSet> open(std::size_t set) const;
  void choose_samples(const std::string& text);

  const Invocation& invocation_;
  bool is_made_up_ = false;
  std::vector<std::string> paths_;
  std::span<Value* const> inputs_;
  std::span<Value* const> outputs_;
  std::vector<std::int64_t> sizes_;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
  std::unique_ptr<SampleSet> open_;
  std::size_t open_index_ = 0;
  std::int64_t next_ = 0;  ///< of the open set
  std::string last_read_;
};

/// Throws ErrorCode::invalid for recipes of --image for inputs that neither the calibration nor the
/// validation data have pictures of.
void check_image_options(const Invocation& invocation, std::span<Value* const> inputs,
                         std::span<Value* const> outputs);

}  // namespace ortool
