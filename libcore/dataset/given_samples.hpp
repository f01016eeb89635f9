// Given samples: values that a program hands over, as a sample set for any number of passes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/file/anonymous_file.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Copies of samples, within a limit in memory and beyond it in an unnamed file of the folder for
/// temporary files. Not thread-safe while samples are added.
class GivenSamples {
 public:
  /// At most a 32nd of the cap's limit, and 64 MiB, stay in memory. `cap` outlives this object.
  explicit GivenSamples(MemoryCap& cap);

  /// Copies the value of one input of the last sample. Throws ErrorCode::write_failed when the disk
  /// is full, and ErrorCode::invalid for a name that the sample has.
  void add_input(const std::string& name, const RunValue& value);
  void begin_sample() { samples_.emplace_back(); }
  /// Takes back a sample that was begun.
  void drop_sample() { samples_.pop_back(); }

  std::int64_t size() const { return static_cast<std::int64_t>(samples_.size()); }
  const NamedValues& inputs(std::int64_t index) const {
    return samples_[static_cast<std::size_t>(index)];
  }
  std::int64_t bytes_in_file() const { return file_bytes_; }

 private:
  Tensor kept(const Tensor& tensor);
  RunValue kept(const RunValue& value);

  MemoryCap& cap_;
  std::int64_t bytes_left_;
  std::int64_t file_bytes_ = 0;
  bool is_tried_ = false;
  std::optional<AnonymousFile> file_;
  std::vector<NamedValues> samples_;
};

/// As long as it lives, open_sample_set() takes its name instead of a path.
class NamedSamples {
 public:
  explicit NamedSamples(std::shared_ptr<const GivenSamples> samples);
  ~NamedSamples();
  NamedSamples(const NamedSamples&) = delete;
  NamedSamples& operator=(const NamedSamples&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// The samples of that name; null: there are none, so it is a path.
std::shared_ptr<const GivenSamples> find_given_samples(std::string_view name);

/// Throws ErrorCode::invalid when there are no samples; next() does for names that are no inputs.
std::unique_ptr<SampleSet> make_given_samples(std::shared_ptr<const GivenSamples> samples,
                                              const std::string& name, SampleContext context);

}  // namespace ortool
