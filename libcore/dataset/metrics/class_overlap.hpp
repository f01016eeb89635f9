// Class overlap: intersection over union of the classes of pixels (mIoU), and pixel accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ortool {

/// Counts pixels by predicted and true class. Classes are below 2^16.
class ClassOverlap {
 public:
  static constexpr std::int64_t max_classes = 1 << 16;

  void add(std::int64_t predicted, std::int64_t truth) {
    ++count_of(truth).truth;
    ++count_of(predicted).predicted;
    if (predicted == truth) ++count_of(truth).common;
  }

  struct Counts {
    std::int64_t truth = 0;
    std::int64_t predicted = 0;
    std::int64_t common = 0;

    /// Nothing for a class that occurs neither in the truth nor in the prediction.
    std::optional<double> iou() const;
  };
  /// Adds counts of a class.
  void add_counts(std::int64_t index, const Counts& counts) {
    Counts& own = count_of(index);
    own.truth += counts.truth;
    own.predicted += counts.predicted;
    own.common += counts.common;
  }
  /// By class, up to the last that occurs.
  const std::vector<Counts>& counts() const { return counts_; }
  std::int64_t pixels() const;

  /// The mean over all classes that occur; nothing without pixels.
  std::optional<double> mean_iou() const;
  /// The share of pixels of the right class.
  std::optional<double> pixel_accuracy() const;
  /// The mean over the true classes of the share of their pixels that are found.
  std::optional<double> mean_accuracy() const;

 private:
  Counts& count_of(std::int64_t index) {
    const auto place = static_cast<std::size_t>(index);
    if (place >= counts_.size()) counts_.resize(place + 1);
    return counts_[place];
  }

  std::vector<Counts> counts_;
};

}  // namespace ortool
