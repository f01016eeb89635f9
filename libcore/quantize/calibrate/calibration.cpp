// Calibration state: value records by name, merged record by record.
#include "libcore/quantize/calibrate/calibration.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

void SampleIds::add_interval(std::int64_t first, std::int64_t last) {
  auto at = std::lower_bound(
      intervals_.begin(), intervals_.end(), first,
      [](const auto& interval, std::int64_t wanted) { return interval.second < wanted; });
  // `at` is the first range that ends at or after `first`.
  const bool touches_before = at != intervals_.end() && at->second == first;
  const auto next = touches_before ? at + 1 : at;
  if (next != intervals_.end() && next->first < last) {
    throw Error(ErrorCode::invalid,
                format("sample {} is included twice", std::max(next->first, first)),
                "merge calibrations of different samples");
  }
  const bool touches_next = next != intervals_.end() && next->first == last;
  if (touches_before && touches_next) {
    at->second = next->second;
    intervals_.erase(next);
  } else if (touches_before) {
    at->second = last;
  } else if (touches_next) {
    next->first = first;
  } else {
    intervals_.insert(next, {first, last});
  }
}

bool SampleIds::contains(std::int64_t number) const {
  return std::any_of(intervals_.begin(), intervals_.end(), [number](const auto& interval) {
    return interval.first <= number && number < interval.second;
  });
}

std::int64_t SampleIds::count() const {
  std::int64_t count = 0;
  for (const auto& [first, last] : intervals_) count += last - first;
  return count;
}

Calibration::Calibration(CalibrationSettings settings) : settings_(std::move(settings)) {
  for (const ValueRequest& value : settings_.values) {
    records_.emplace(value.name, ValueRecord({settings_.with_histograms, value.channel_axis,
                                              settings_.averaging_constant}));
  }
}

const ValueRecord* Calibration::find(std::string_view name) const {
  const auto found = records_.find(name);
  return found == records_.end() ? nullptr : &found->second;
}

ValueRecord* Calibration::find(std::string_view name) {
  const auto found = records_.find(name);
  return found == records_.end() ? nullptr : &found->second;
}

std::string_view Calibration::digest(std::int64_t number) const {
  const auto found = digests_.find(number);
  return found == digests_.end() ? std::string_view() : found->second;
}

void Calibration::merge(const Calibration& other) {
  if (settings_ != other.settings_) {
    throw Error(ErrorCode::invalid, "calibrations with different settings cannot be merged",
                "calibrate each part of the data with the same settings");
  }
  // Steps that may fail come first, so that a failed merge leaves the state unchanged.
  SampleIds samples = samples_;
  for (const auto& [first, last] : other.samples_.intervals()) samples.add_interval(first, last);
  for (auto& [name, record] : records_) {
    try {
      record.merge(*other.find(name));
    } catch (Error& error) {
      throw error.in(quote(name));
    }
  }
  samples_ = std::move(samples);
  digests_.insert(other.digests_.begin(), other.digests_.end());
}

}  // namespace ortool
