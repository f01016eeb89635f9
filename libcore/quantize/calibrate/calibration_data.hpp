// Calibration data: the samples of all given data sets, one set after another.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/quantize/pipeline/quantize_data.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

class CalibrationData {
 public:
  /// Opens the data sets of that role; random calibration data consist of 16 samples unless
  /// `source` gives a count. `inputs` and `outputs` belong to the model that is run; they and
  /// `source` must outlive this object. Throws as open_sample_set() does, and ErrorCode::invalid
  /// when more samples are requested than exist.
  CalibrationData(const TaskContext& task, const QuantizeData& source, DataRole role,
                  std::span<Value* const> inputs, std::span<Value* const> outputs);

  /// The samples to use are first() to size() - 1.
  std::int64_t first() const { return first_; }
  std::int64_t size() const { return size_; }
  /// With shards: the part that these samples belong to, without a payload; else null.
  const Part* part() const { return part_ ? &*part_ : nullptr; }
  /// Class names by index, if the first data set provides them.
  std::vector<std::string> class_names() const;
  /// Sample `index`. Those read first are kept, up to a share of memory; going backward to another
  /// rereads the set from its start.
  Sample sample(std::int64_t index);
  /// Keeps outputs of this session from now on, within the memory for samples. It must outlive this
  /// object, or the next call.
  void keep_outputs_of(const Session& session);
  /// Keeps the outputs of that session for sample `index` if there is memory left.
  void keep_outputs(const Session& session, std::int64_t index,
                    const std::vector<RunValue>& outputs);
  /// The outputs of a session for sample `index`: kept ones, or those of a run.
  std::vector<RunValue> outputs_of(const Session& session, std::int64_t index,
                                   const NamedValues& inputs, const RunOptions& options);
  /// Which files the data sets that are folders or patterns use, by path.
  const std::map<std::string, FileUse>& files() const { return files_; }
  /// The sample read last, for messages: "images: cat.png".
  const std::string& last_read() const { return last_read_; }

 private:
  std::unique_ptr<SampleSet> open(std::size_t set) const;
  void choose_samples();
  void choose_shard();
  void keep(std::int64_t index, const Sample& sample);

  const TaskContext& task_;
  const QuantizeData& source_;
  bool is_random_ = false;
  std::vector<std::string> paths_;
  std::span<Value* const> inputs_;
  std::span<Value* const> outputs_;
  std::vector<std::int64_t> sizes_;
  std::map<std::string, FileUse> files_;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
  std::string identity_;  ///< of all sets, as a hash, with shards
  std::optional<Part> part_;
  std::unique_ptr<SampleSet> open_;
  std::size_t open_index_ = 0;
  std::int64_t next_ = 0;  ///< within the open set
  std::string last_read_;
  struct Kept {
    Sample sample;
    std::string read;  ///< last_read()
  };
  std::map<std::int64_t, Kept> kept_;
  const Session* kept_session_ = nullptr;  ///< whose outputs are kept
  std::map<std::int64_t, std::vector<RunValue>> kept_outputs_;
  std::int64_t bytes_left_;  ///< for more samples and outputs
};

/// Throws ErrorCode::invalid for image recipes of inputs for which neither the calibration nor the
/// validation data contain images.
void check_image_recipes(const TaskContext& task, const QuantizeData& source,
                         std::span<Value* const> inputs, std::span<Value* const> outputs);

}  // namespace ortool
