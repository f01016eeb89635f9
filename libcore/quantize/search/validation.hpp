// Validation of a quantised model: its accuracy on labelled data, beside the float model, or to a
// command.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/search/budget.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Judges models on the validation data, else on the calibration data.
class Validation {
 public:
  /// `floats` is the float model, node by node, and outlives this. Judges it first.
  Validation(const QuantizeContext& context, const Budget& budget, const Model& prepared,
             const Session& floats);

  /// Throws ErrorCode::invalid for sets without what the metric needs, and for a command that
  /// fails.
  Worth judge(const Model& model) const;
  /// Whether what is lost of the float model's worth is within the budget.
  bool is_within(const Worth& worth) const;
  const Worth& float_worth() const { return floats_worth_; }
  /// The float model's worth beside this one.
  Accuracy accuracy(const Worth& worth) const;

 private:
  Worth judge_labels(const Session& session) const;
  Worth judge_outputs(const Session& session) const;
  Worth run_command(const Model& model) const;
  double least() const;

  const QuantizeContext& context_;
  const Budget& budget_;
  const Session& floats_;
  DataRole role_;
  std::int64_t samples_ = 0;
  Worth floats_worth_;
};

/// The exact two-sided probability that `lost` and `gained` come so uneven by chance (McNemar,
/// 1947).
double mcnemar_chance(std::int64_t lost, std::int64_t gained);

}  // namespace ortool
