// Ranked scores of an output: the highest elements of each row, and their probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/values/value_block.hpp"

namespace ortool {

/// The highest scores of an output; no rows if it has none to rank.
struct RankedScores {
  std::vector<TopEntry> entries;
  std::vector<double> probabilities;  ///< with --softmax, one for each entry
  std::int64_t rows = 0;

  /// What is shown of an entry: its probability, or without them its value.
  double shown(std::size_t entry) const;
};

/// Whether an output has scores to rank: a numeric tensor that is neither a scalar nor empty.
bool has_scores(const RunValue& value);

/// Ranks as --top and --softmax say.
RankedScores rank_scores(const OptionValues& options, const Tensor& tensor);

/// Warns if there are more or fewer labels than classes, or if --softmax is given probabilities.
void warn_of_scores(const Invocation& invocation, std::string_view output, const Tensor& tensor,
                    std::span<const std::string> labels);

/// The label of a class, or its number.
std::string class_text(std::int64_t index, std::span<const std::string> labels);

}  // namespace ortool
