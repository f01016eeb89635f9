// Parts of a calibration, which join into the calibration of one process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/dataset/parts/part_file.hpp"

namespace ortool {

/// Kind of the parts of a calibration.
inline constexpr std::string_view calibration_kind = "calibration";

/// Adds the calibration_key() to what the result of a task depends on.
void add_calibration_key(PartTask& task, std::string_view key);

/// A calibration that was joined.
struct JoinedCalibration {
  std::string bytes;  ///< of its file: the same as of one that one process made
  std::int64_t samples = 0;
};

/// Joins checked parts of kind calibration, which are in the order of their shards and are read one
/// after another. Throws
/// ErrorCode::invalid for parts whose samples are incomplete, as those of a process that was
/// stopped are, and for moving averages, which depend on the order of samples.
JoinedCalibration join_calibrations(const std::vector<Part>& parts, MemoryCap* cap);

}  // namespace ortool
