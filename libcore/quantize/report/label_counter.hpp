// How often the float model is right, where samples have labels.
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
  /// `classes` are the names of classes by number; may be empty.
  explicit LabelCounter(std::vector<std::string> classes) : classes_(std::move(classes)) {}

  /// Counts the labels of a sample by the first output that has scores of classes. From the first
  /// sample on that has no labels, no such output, or labels that are no classes, nothing counts.
  void add(const Sample& sample, const std::vector<RunValue>& outputs);
  std::optional<LabelCount> count() const;

 private:
  /// Nothing for a label that is none of `width` classes.
  std::optional<std::int64_t> class_of(const SampleLabel& label, std::int64_t width) const;
  bool add_labels(const Sample& sample, const std::vector<RunValue>& outputs);

  std::vector<std::string> classes_;
  bool is_usable_ = true;
  LabelCount count_;
  std::map<std::int64_t, std::int64_t> samples_of_;
};

}  // namespace ortool
