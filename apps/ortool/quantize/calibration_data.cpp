// Sets are read forwards; going back opens them again.
#include "apps/ortool/quantize/calibration_data.hpp"

#include <algorithm>

#include "apps/ortool/options/image_config.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

CalibrationData::CalibrationData(const Invocation& invocation, std::string_view option,
                                 std::span<Value* const> inputs, std::span<Value* const> outputs)
    : invocation_(invocation), inputs_(inputs), outputs_(outputs) {
  const std::span<const std::string> given = invocation.options.all(option);
  paths_.assign(given.begin(), given.end());
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    sizes_.push_back(open(i)->size());
    size_ += sizes_.back();
  }
  if (!invocation.options.has("samples") || option != "calibration-data") return;
  const std::int64_t wanted = invocation.options.integer("samples", size_, 1, INT64_MAX);
  if (wanted > size_) {
    throw Error(ErrorCode::invalid,
                format("option --samples: there are {} samples (asked for {})", size_, wanted),
                "give more data, or leave the option out")
        .with_id("usage.value");
  }
  size_ = wanted;
}

std::unique_ptr<SampleSet> CalibrationData::open(std::size_t set) const {
  SampleContext context{invocation_, inputs_, outputs_,
                        read_image_recipes(invocation_.options, names_of(inputs_))};
  return open_sample_set(paths_[set], std::move(context));
}

Sample CalibrationData::sample(std::int64_t index) {
  std::size_t set = 0;
  while (index >= sizes_[set]) index -= sizes_[set++];
  if (open_ == nullptr || open_index_ != set || index < next_) {
    open_ = open(set);
    open_index_ = set;
    next_ = 0;
  }
  for (; next_ < index; ++next_) static_cast<void>(open_->next());
  ++next_;
  Sample sample = open_->next();
  for (auto& [name, value] : sample.inputs) {
    if (value.is_tensor()) value = RunValue(value.tensor().aligned());
  }
  return sample;
}

}  // namespace ortool
