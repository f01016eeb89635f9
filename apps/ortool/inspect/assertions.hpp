// Conditions on a model's figures: --assert and --budget.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/option_values.hpp"
#include "libcore/inspect/quantization.hpp"
#include "libcore/inspect/summary.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// A figure of a model: a number, or what stands in its place.
struct ModelFigure {
  std::optional<std::int64_t> number;
  std::string formula;  ///< of a figure that depends on dimensions, or why there is none
};

/// The figures that a condition may name.
class Metrics {
 public:
  Metrics(const Model& model, const Summary& summary, const QuantizationReadout& quantization);

  /// Throws ErrorCode::invalid for a name that is none, with the nearest and the list. `ops.TYPE`
  /// may name any operator of the model or the catalog, `opset.DOMAIN` any domain.
  ModelFigure find(std::string_view name) const;

 private:
  const Model& model_;
  const Summary& summary_;
  std::map<std::string, ModelFigure, std::less<>> metrics_;
};

struct Assertion {
  std::string condition;  ///< as it was given
  std::string metric;
  std::string comparator;
  double limit = 0;
  ModelFigure found;
  bool has_passed = false;
};

/// Reads the values of --assert ("ops.Conv<=20") and --budget ("memory=256MB,macs=300M") and holds
/// them against the figures. A figure that depends on dimensions fails, since nothing is guessed.
/// Throws ErrorCode::invalid for what cannot be read.
std::vector<Assertion> check_assertions(const OptionValues& options, const Metrics& metrics);

Json assertions_block(std::span<const Assertion> assertions);

/// A line for each that failed, with what was found.
std::string assertions_text(std::span<const Assertion> assertions);

}  // namespace ortool
