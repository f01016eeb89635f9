// Assertions: conditions on a model's metrics, for --assert and --budget.
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

/// A metric of a model: a number, or the reason why there is none.
struct ModelFigure {
  std::optional<std::int64_t> number;
  std::string formula;  ///< of a metric that depends on dimensions, or why there is none
};

/// The metrics that a condition may name.
class Metrics {
 public:
  Metrics(const Model& model, const Summary& summary, const QuantizationReadout& quantization);

  /// Throws ErrorCode::invalid for an unknown name, with the nearest and the list. `ops.TYPE`
  /// may name any operator of the model or the catalog, `opset.DOMAIN` any domain.
  ModelFigure find(std::string_view name) const;

 private:
  const Model& model_;
  const Summary& summary_;
  std::map<std::string, ModelFigure, std::less<>> metrics_;
};

struct Assertion {
  std::string condition;  ///< as given
  std::string metric;
  std::string comparator;
  double limit = 0;
  ModelFigure found;
  bool has_passed = false;
};

/// Parses the values of --assert ("ops.Conv<=20") and --budget ("memory=256MB,macs=300M") and
/// evaluates them. A metric that depends on dimensions fails, since nothing is assumed.
/// Throws ErrorCode::invalid for syntax errors.
std::vector<Assertion> check_assertions(const OptionValues& options, const Metrics& metrics);

Json assertions_block(std::span<const Assertion> assertions);

/// One line for each failed condition, with the value found.
std::string assertions_text(std::span<const Assertion> assertions);

}  // namespace ortool
