// What rounding goes by is collected once, and again where a plan has other scales.
#include "apps/ortool/quantize/static_maker.hpp"

#include <algorithm>

#include "apps/ortool/quantize/sample_split.hpp"
#include "apps/ortool/report/progress.hpp"
#include "libcore/quantize/choose_numbers.hpp"

namespace ortool {
namespace {

/// Their sums take memory.
constexpr std::size_t most_refiners = 2;

}  // namespace

const PlanRefiner* StaticMaker::refine(const QuantizePlan& plan, const PlanNumbers& numbers) {
  if (context_.settings.recipe == "fast" || data_ == nullptr || calibration_ == nullptr)
    return nullptr;
  const auto known = std::find_if(refiners_.begin(), refiners_.end(), [&](const Refiner& refiner) {
    return refiner.made->serves(plan, numbers);
  });
  if (known != refiners_.end()) {
    std::rotate(refiners_.begin(), known, known + 1);
    return refiners_.front().cached.get();
  }
  if (refiners_.size() == most_refiners) refiners_.pop_back();
  const Invocation& invocation = context_.invocation;
  const SampleSplit split = split_samples(data_->size());
  CollectOptions collecting;
  collecting.sample_count = static_cast<std::int64_t>(split.fitting.size());
  collecting.threads = context_.machine.threads;
  collecting.cap = &invocation.memory;
  collecting.stop = &invocation.stop;
  const bool is_thorough = context_.settings.recipe == "max";
  const RefineOptions refining{&context_.machine.pool,
                               is_thorough ? RoundingEffort::thorough : RoundingEffort::quick};
  const Progress progress(invocation.options, invocation.messages, "refining");
  Refiner refiner;
  refiner.made = std::make_unique<WeightRefiner>(
      plan, numbers, *calibration_, floats_,
      [&](std::int64_t index) {
        return data_->sample(split.fitting[static_cast<std::size_t>(index)]).inputs;
      },
      collecting, refining);
  refiner.cached = std::make_unique<CachedRefiner>(*refiner.made);
  refiners_.insert(refiners_.begin(), std::move(refiner));
  return refiners_.front().cached.get();
}

void StaticMaker::forget_others() {
  if (refiners_.size() > 1) refiners_.resize(1);
}

MadePlan StaticMaker::make(Model& model, const PlanChoices& choices) {
  MadePlan made;
  const auto names = names_apart(model);
  const QuantizePlan plan = make_plan(model, rules_of(context_, calibration_, choices, names));
  PlanNumbers numbers;
  numbers.groups = choose_numbers(plan,
                                  {.calibration = calibration_,
                                   .type = context_.settings.activations,
                                   .method = context_.settings.method,
                                   .choices = &choices},
                                  made.chosen);
  numbers.weights.type = context_.settings.weights;
  numbers.cap = &context_.invocation.memory;
  if (choices.fits_weights) numbers.refiner = refine(plan, numbers);
  made.numbers = numbers.groups;
  made.nodes = describe_plan(plan, names);
  insert_qdq(model, plan, numbers);
  if (choices.stores_rest) store_rest(context_, model, plan);
  return made;
}

}  // namespace ortool
