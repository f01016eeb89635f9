// Class overlap: the ratios.
#include "libcore/dataset/metrics/class_overlap.hpp"

namespace ortool {
namespace {

double share_of(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<double> ClassOverlap::Counts::iou() const {
  const std::int64_t either = truth + predicted - common;
  if (either == 0) return std::nullopt;
  return share_of(common, either);
}

std::int64_t ClassOverlap::pixels() const {
  std::int64_t sum = 0;
  for (const Counts& each : counts_) sum += each.truth;
  return sum;
}

std::optional<double> ClassOverlap::mean_iou() const {
  double sum = 0;
  std::int64_t classes = 0;
  for (const Counts& each : counts_) {
    const auto iou = each.iou();
    if (!iou) continue;
    sum += *iou;
    ++classes;
  }
  if (classes == 0) return std::nullopt;
  return sum / static_cast<double>(classes);
}

std::optional<double> ClassOverlap::pixel_accuracy() const {
  std::int64_t common = 0;
  for (const Counts& each : counts_) common += each.common;
  if (pixels() == 0) return std::nullopt;
  return share_of(common, pixels());
}

std::optional<double> ClassOverlap::mean_accuracy() const {
  double sum = 0;
  std::int64_t classes = 0;
  for (const Counts& each : counts_) {
    if (each.truth == 0) continue;
    sum += share_of(each.common, each.truth);
    ++classes;
  }
  if (classes == 0) return std::nullopt;
  return sum / static_cast<double>(classes);
}

}  // namespace ortool
