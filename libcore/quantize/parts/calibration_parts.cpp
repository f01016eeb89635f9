// Joins the calibrations of shards: merging is exact, so it does not matter how samples were split.
#include "libcore/quantize/parts/calibration_parts.hpp"

#include <optional>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"

namespace ortool {
namespace {

constexpr std::string_view key_setting = "values to record";

std::string key_of(const PartTask& task) {
  for (const auto& [name, value] : task.settings) {
    if (name == key_setting) return value;
  }
  throw Error(ErrorCode::invalid, "the part has no calibration",
              "run its shard again to replace it")
      .with_id("part.content");
}

/// That the part holds its shard's samples, and no others.
void check_samples(const Part& part, const SampleIds& samples) {
  const auto [first, end] = part.items;
  const auto& intervals = samples.intervals();
  const bool has_none = first == end && intervals.empty();
  const bool has_all = intervals.size() == 1 &&
                       intervals.front() == std::pair<std::int64_t, std::int64_t>(first, end);
  if (has_none || has_all) return;
  throw Error(ErrorCode::invalid,
              format("shard {} is incomplete: it has {} of {} samples", part.task.shard.to_string(),
                     samples.count(), end - first),
              format("run it again with --shard {}, which goes on from this file",
                     part.task.shard.to_string()))
      .with_id("part.incomplete");
}

}  // namespace

void add_calibration_key(PartTask& task, std::string_view key) {
  task.settings.emplace_back(key_setting, key);
}

JoinedCalibration join_calibrations(const std::vector<Part>& parts, MemoryCap* cap) {
  std::optional<Calibration> whole;
  std::string key;
  for (const Part& part : parts) {
    try {
      key = key_of(part.task);
      Calibration calibration = Calibration::parse(read_part_again(part, cap).payload, key);
      check_samples(part, calibration.samples());
      if (whole) {
        whole->merge(calibration);
      } else {
        whole = std::move(calibration);
      }
    } catch (Error& error) {
      if (error.id() != "part.file") error.in(part.path);
      throw;
    }
  }
  return {whole->serialize(key), whole->samples().count()};
}

}  // namespace ortool
