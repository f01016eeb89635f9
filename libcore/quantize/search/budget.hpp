// Accuracy budget of quantization: how models are judged, and how much may be lost.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ortool {

/// How models are judged.
enum class Judgement { top1, top5, cosine, sqnr, command };

/// What a model is judged by, and what it may lose.
struct Budget {
  Judgement judgement = Judgement::top1;
  std::string command;         ///< of `cmd:COMMAND`
  std::optional<double> drop;  ///< what may be lost; nothing: it is judged alone
  bool is_share = false;       ///< `drop` was given in percent
};

std::string_view name_of(Judgement judgement);
/// Whether the judgement is a share of right labels.
bool counts_labels(Judgement judgement);

}  // namespace ortool
