// What a model is worth by --metric on labelled data, beside the float model, or to a command.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/ortool/quantize/quantize_context.hpp"
#include "apps/ortool/report/json.hpp"

namespace ortool {

/// --metric: how models are judged.
enum class Judgement { top1, top5, cosine, sqnr, command };

/// --metric and --max-drop.
struct Budget {
  Judgement judgement = Judgement::top1;
  std::string command;         ///< of `cmd:COMMAND`
  std::optional<double> drop;  ///< what may be lost; nothing without --max-drop
  bool is_share = false;       ///< `drop` was given in percent
};

/// Nothing without --metric and --max-drop. Throws ErrorCode::invalid for values that are none.
std::optional<Budget> read_budget(const OptionValues& options);

/// How one model did.
struct Worth {
  double value = 0;                 ///< higher is better
  std::vector<char> is_right = {};  ///< of each label, for top1 and top5
};

/// Judges models on the set of --validation-data, else on the calibration data.
class Validation {
 public:
  /// `floats` is the float model, node by node, and outlives this. Judges it first.
  Validation(const QuantizeContext& context, const Budget& budget, const Model& prepared,
             const Session& floats);

  /// Throws ErrorCode::invalid for sets without what the metric needs, and for a command that
  /// fails.
  Worth judge(const Model& model) const;
  /// Whether what is lost of the float model's worth is within --max-drop.
  bool is_within(const Worth& worth) const;
  const Worth& float_worth() const { return floats_worth_; }
  /// The document's `accuracy`: the float model beside `worth`.
  Json block(const Worth& worth) const;
  /// "top1: 89.10 % -> 88.90 % of 1000 (…)".
  std::string text(const Worth& worth) const;

 private:
  Worth judge_labels(const Session& session) const;
  Worth judge_outputs(const Session& session) const;
  Worth run_command(const Model& model) const;
  double least() const;

  const QuantizeContext& context_;
  const Budget& budget_;
  const Session& floats_;
  std::string option_;  ///< that names the set
  std::int64_t samples_ = 0;
  Worth floats_worth_;
};

/// The exact two-sided probability that `lost` and `gained` come so uneven by chance (McNemar,
/// 1947).
double mcnemar_chance(std::int64_t lost, std::int64_t gained);

}  // namespace ortool
