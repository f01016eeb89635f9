// Label counter: accuracy of the float model on labeled samples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/dataset/sample_set.hpp"
#include "libcore/quantize/calibrate/judge_inputs.hpp"

namespace ortool {

class LabelCounter {
 public:
  /// `classes` are the class names by index; may be empty.
  explicit LabelCounter(std::vector<std::string> classes) : classes_(std::move(classes)) {}

  /// Counts the labels of a sample by the first output that holds class scores. Counting ends at
  /// the first sample without labels, without such an output, or with labels that are not classes.
  void add(const Sample& sample, const std::vector<RunValue>& outputs);
  std::optional<LabelCount> count() const;

 private:
  /// Nothing for a label that is not one of `width` classes.
  std::optional<std::int64_t> class_of(const SampleLabel& label, std::int64_t width) const;
  bool add_labels(const Sample& sample, const std::vector<RunValue>& outputs);

  std::vector<std::string> classes_;
  bool is_usable_ = true;
  LabelCount count_;
  std::map<std::int64_t, std::int64_t> samples_of_;
};

}  // namespace ortool
