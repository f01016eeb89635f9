// Accuracy metrics and their names; top-1, top-5 and mean cosine similarity of samples, with
// confidence intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// `map` and `miou` are of a whole data set (metrics/output_metric.hpp).
enum class Metric { top1, top5, cosine, map, miou };

std::string_view name_of(Metric metric);
std::optional<Metric> metric_named(std::string_view name);

/// Accumulates scores: 0 or 1 each for top1 and top5, a similarity for cosine.
class Score {
 public:
  explicit Score(Metric metric) : metric_(metric) {}

  void add(double score) {
    sum_ += score;
    ++count_;
  }
  Metric metric() const { return metric_; }
  std::int64_t count() const { return count_; }
  /// The mean; 0 for none.
  double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  /// For top1 and top5: the Wilson score interval, with 95 % confidence.
  std::optional<std::pair<double, double>> interval() const;

 private:
  Metric metric_;
  double sum_ = 0;
  std::int64_t count_ = 0;
};

/// Whether class `label` is among the `most` highest elements of `row` (a sample's scores, or one
/// element that is the class itself). Ties rank by position; NaN is never correct. Throws
/// ErrorCode::invalid for a label that is not a class.
bool is_among_top(const Tensor& row, std::int64_t label, std::int64_t most);

/// Whether a tensor's rows, one per sample, are class scores or classes.
bool ranks_classes(const Tensor& tensor, std::int64_t samples);

}  // namespace ortool
