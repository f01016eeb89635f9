// Sets are read forwards; going back opens them again.
#include "apps/ortool/quantize/calibration_data.hpp"

#include <algorithm>

#include "apps/ortool/data/random_samples.hpp"
#include "apps/ortool/options/image_config.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_random_samples = 16;

}  // namespace

CalibrationData::CalibrationData(const Invocation& invocation, std::string_view option,
                                 std::span<Value* const> inputs, std::span<Value* const> outputs)
    : invocation_(invocation), inputs_(inputs), outputs_(outputs) {
  const std::span<const std::string> given = invocation.options.all(option);
  paths_.assign(given.begin(), given.end());
  is_made_up_ = option == "calibration-data" && invocation.options.flag("allow-random-calibration");
  if (is_made_up_) paths_ = {"made-up inputs"};
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    sizes_.push_back(open(i)->size());
    size_ += sizes_.back();
  }
  if (is_made_up_ && !invocation.options.has("samples")) size_ = default_random_samples;
  if (!invocation.options.has("samples") || option != "calibration-data") return;
  choose_samples(invocation.options.text("samples"));
}

void CalibrationData::choose_samples(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::int64_t first = 0;
  std::int64_t last = 0;
  const bool is_range = colon != std::string::npos;
  const bool is_read = read_integer(is_range ? text.substr(colon + 1) : text, last) &&
                       (!is_range || read_integer(text.substr(0, colon), first));
  if (!is_read || first < 0 || last <= first) {
    throw Error(
        ErrorCode::invalid,
        format("option --samples: {} is neither a number of samples nor FIRST:BEHIND", quote(text)),
        "such as 100, or 100:200 for the second hundred")
        .with_id("usage.value");
  }
  if (last > size_) {
    throw Error(ErrorCode::invalid,
                format("option --samples: there are {} samples (asked for {})", size_, last),
                "give more data, or leave the option out")
        .with_id("usage.value");
  }
  first_ = first;
  size_ = last;
}

std::unique_ptr<SampleSet> CalibrationData::open(std::size_t set) const {
  SampleContext context{invocation_, inputs_, outputs_,
                        read_image_recipes(invocation_.options, names_of(inputs_))};
  if (is_made_up_) return make_random_samples(std::move(context));
  return open_sample_set(paths_[set], std::move(context));
}

std::vector<std::string> CalibrationData::class_names() const {
  return paths_.empty() ? std::vector<std::string>() : open(0)->class_names();
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
  last_read_ = paths_[set];
  Sample sample = open_->next();
  if (sample.name != format("{}", index)) last_read_ += ": " + sample.name;
  for (auto& [name, value] : sample.inputs) {
    if (value.is_tensor()) value = RunValue(value.tensor().aligned());
  }
  return sample;
}

void check_image_options(const Invocation& invocation, std::span<Value* const> inputs,
                         std::span<Value* const> outputs) {
  const auto recipes = read_image_recipes(invocation.options, names_of(inputs));
  if (recipes.empty()) return;
  std::vector<std::unique_ptr<SampleSet>> sets;
  for (const std::string_view option : {"calibration-data", "validation-data"}) {
    for (const std::string& path : invocation.options.all(option))
      sets.push_back(open_sample_set(path, {invocation, inputs, outputs, recipes}));
  }
  refuse_unused_recipes(recipes, sets);
}

}  // namespace ortool
