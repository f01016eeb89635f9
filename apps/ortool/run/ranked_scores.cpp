// Ranked scores: what --top, --softmax and --labels make of an output.
#include "apps/ortool/run/ranked_scores.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/probabilities.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

double RankedScores::shown(std::size_t entry) const {
  return probabilities.empty() ? entries[entry].value : probabilities[entry];
}

bool has_scores(const RunValue& value) {
  return value.is_tensor() && is_arithmetic(value.tensor().type()) &&
         value.tensor().shape().rank() > 0 && value.tensor().element_count() > 0;
}

RankedScores rank_scores(const OptionValues& options, const Tensor& tensor) {
  RankedScores ranked;
  ranked.rows = tensor.element_count() / class_count(tensor.shape());
  ranked.entries = top_entries(tensor, options.integer("top", 5));
  if (options.flag("softmax")) ranked.probabilities = probabilities_of(tensor, ranked.entries);
  return ranked;
}

void warn_of_scores(const Invocation& invocation, std::string_view output, const Tensor& tensor,
                    std::span<const std::string> labels) {
  const std::int64_t classes = class_count(tensor.shape());
  if (!labels.empty() && classes != static_cast<std::int64_t>(labels.size())) {
    invocation.warn(
        format("{} labels for the {} classes of output {}", labels.size(), classes, quote(output)));
  }
  if (invocation.options.flag("softmax") && holds_probabilities(tensor)) {
    invocation.warn(
        format("output {} already holds probabilities, so --softmax distorts them (leave it out)",
               quote(output)));
  }
}

std::string class_text(std::int64_t index, std::span<const std::string> labels) {
  const auto place = static_cast<std::size_t>(index);
  return place < labels.size() ? labels[place] : std::to_string(index);
}

}  // namespace ortool
