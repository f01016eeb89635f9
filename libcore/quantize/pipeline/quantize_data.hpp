// Quantization data: calibration and validation sets, and how their samples are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/dataset/parts/part_file.hpp"
#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// The purpose of a data set.
enum class DataRole { none, calibration, validation };

struct QuantizeData {
  std::vector<std::string> calibration;  ///< paths for open_sample_set(), in order
  std::vector<std::string> validation;
  bool is_random = false;          ///< calibration samples are random
  RandomInputOptions random = {};  ///< how random samples are generated
  /// The calibration samples to use, as a half-open range; nothing: all, or 16 random ones.
  std::optional<std::pair<std::int64_t, std::int64_t>> samples = {};
  /// With shards: which of these samples to use, and what they have in common with the others.
  /// CalibrationData adds the data and the number of samples.
  std::optional<PartTask> part = {};
  ImageRecipes recipes = {};
  std::vector<std::string> class_names = {};  ///< by index; empty: those of the data sets
  std::vector<std::string> caches = {};       ///< files of a CalibrationCache

  const std::vector<std::string>& paths(DataRole role) const {
    return role == DataRole::calibration ? calibration : validation;
  }
  /// Whether files are given for it.
  bool has(DataRole role) const { return role != DataRole::none && !paths(role).empty(); }
};

}  // namespace ortool
