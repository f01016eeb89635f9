// One way of running one model that is measured: model, provider, threads and dimensions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/ortool/bench/bench_settings.hpp"
#include "apps/ortool/command.hpp"

namespace ortool {

struct BenchVariant {
  std::string name;         ///< "digits.onnx cpu threads=2 batch=8"
  std::string model;        ///< as given
  std::string model_label;  ///< short, different for each model
  std::string provider;     ///< as given: "onednn,cpu", "auto"
  int threads = 1;
  DimensionNumbers dims;
  bool is_reference = false;
  /// More options by name, in place of those of the command line.
  std::vector<std::pair<std::string, std::string>> more_options = {};

  /// Whatever follows the model in the name.
  std::string setting() const;
};

/// Every combination, models slowest and dimensions fastest; references come last, once for each
/// setting.
std::vector<BenchVariant> list_variants(const BenchSettings& settings);

/// The command line's options with what the variant says in their place. With `fixes_dims` false
/// the dimensions are left out, for a session that sees several shapes.
OptionValues options_for(const OptionValues& options, const BenchVariant& variant,
                         bool fixes_dims = true);

/// `invocation` with other options, which must outlive the result.
Invocation with_options(const Invocation& invocation, const OptionValues& options);

}  // namespace ortool
