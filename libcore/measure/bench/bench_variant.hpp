// Benchmark variant: one way of running one model - model, provider, threads and dimensions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libcore/measure/bench/bench_settings.hpp"

namespace ortool {

struct BenchVariant {
  std::string name;         ///< "digits.onnx cpu threads=2 batch=8"
  std::string model;        ///< as given
  std::string model_label;  ///< short, unique for each model
  std::string provider;     ///< as given: "onednn,cpu", "auto"
  int threads = 1;
  DimensionSizes dims;
  bool is_reference = false;
  /// Additional settings by name, which override those of all variants.
  std::vector<std::pair<std::string, std::string>> more_options = {};

  /// The part of the name after the model.
  std::string setting() const;
};

/// Every combination, with models varying slowest and dimensions fastest; references come last,
/// once per setting.
std::vector<BenchVariant> list_variants(const BenchSettings& settings);

}  // namespace ortool
