// The samples to calibrate with: those of all sets given, one set after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/quantize/pipeline/quantize_data.hpp"

namespace ortool {

class CalibrationData {
 public:
  /// Opens the sets of that role; made-up ones for calibration are 16 samples unless `source` says
  /// how many. Inputs and outputs are those of the model to run; they and `source` outlive this.
  /// Throws what open_sample_set() does, and ErrorCode::invalid for more samples than there are.
  CalibrationData(const TaskContext& task, const QuantizeData& source, DataRole role,
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
  void choose_samples();

  const TaskContext& task_;
  const QuantizeData& source_;
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

/// Throws ErrorCode::invalid for recipes for inputs that neither the calibration nor the validation
/// data have pictures of.
void check_image_recipes(const TaskContext& task, const QuantizeData& source,
                         std::span<Value* const> inputs, std::span<Value* const> outputs);

}  // namespace ortool
