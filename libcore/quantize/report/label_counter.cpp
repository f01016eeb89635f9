// Label counter: labels that do not match are not an error, they just provide no evidence.
#include "libcore/quantize/report/label_counter.hpp"

#include <algorithm>

#include "libcore/dataset/batch.hpp"
#include "libcore/dataset/metric.hpp"

namespace ortool {

std::optional<std::int64_t> LabelCounter::class_of(const SampleLabel& label,
                                                   std::int64_t width) const {
  std::int64_t number = -1;
  if (const auto* given = std::get_if<std::int64_t>(&label)) {
    number = *given;
  } else {
    const auto place = std::find(classes_.begin(), classes_.end(), std::get<std::string>(label));
    if (place != classes_.end()) number = place - classes_.begin();
  }
  if (number < 0 || number >= width) return std::nullopt;
  return number;
}

bool LabelCounter::add_labels(const Sample& sample, const std::vector<RunValue>& outputs) {
  const auto count = static_cast<std::int64_t>(sample.labels.size());
  if (count == 0) return false;
  const auto scores = std::find_if(outputs.begin(), outputs.end(), [&](const RunValue& output) {
    return output.is_tensor() && is_floating_point(output.tensor().type()) &&
           ranks_classes(output.tensor(), count);
  });
  if (scores == outputs.end()) return false;
  const std::int64_t classes = scores->tensor().element_count() / count;
  for (std::int64_t row = 0; row < count; ++row) {
    const auto label = class_of(sample.labels[static_cast<std::size_t>(row)], classes);
    if (!label) return false;
    count_.right += is_among_top(row_of(*scores, row, count).tensor(), *label, 1) ? 1 : 0;
    ++count_.samples;
    count_.max_common = std::max(count_.max_common, ++samples_of_[*label]);
  }
  return true;
}

void LabelCounter::add(const Sample& sample, const std::vector<RunValue>& outputs) {
  if (is_usable_) is_usable_ = add_labels(sample, outputs);
}

std::optional<LabelCount> LabelCounter::count() const {
  if (!is_usable_ || count_.samples == 0) return std::nullopt;
  return count_;
}

}  // namespace ortool
