// Data of quantization: calibration and validation sets, and how their samples are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// What a set serves for.
enum class DataRole { none, calibration, validation };

struct QuantizeData {
  std::vector<std::string> calibration;  ///< paths for open_sample_set(), one set after the other
  std::vector<std::string> validation;
  bool is_made_up = false;         ///< calibration samples are random
  RandomInputOptions random = {};  ///< how those are made up
  /// Of the calibration samples, from the first number to behind the second; nothing: all, or 16
  /// made-up ones.
  std::optional<std::pair<std::int64_t, std::int64_t>> samples = {};
  ImageRecipes recipes = {};
  std::vector<std::string> class_names = {};  ///< by number; empty: those of the sets
  std::vector<std::string> caches = {};       ///< files of a CalibrationCache

  const std::vector<std::string>& paths(DataRole role) const {
    return role == DataRole::calibration ? calibration : validation;
  }
  /// Whether there are files for it.
  bool has(DataRole role) const { return role != DataRole::none && !paths(role).empty(); }
};

}  // namespace ortool
