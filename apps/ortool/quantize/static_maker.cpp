// What rounding goes by is collected once, and again where a plan has other scales.
#include "apps/ortool/quantize/static_maker.hpp"

#include <algorithm>

#include "apps/ortool/report/progress.hpp"
#include "libcore/quantize/choose_numbers.hpp"

namespace ortool {
namespace {

/// Sums of layers' inputs tell little more after so many samples.
constexpr std::int64_t most_refining_samples = 128;

}  // namespace

const PlanRefiner* StaticMaker::refine(const QuantizePlan& plan, const PlanNumbers& numbers) {
  if (context_.settings.recipe == "fast" || data_ == nullptr || calibration_ == nullptr)
    return nullptr;
  if (refiner_ != nullptr && refiner_->serves(plan, numbers)) return cached_.get();
  const Invocation& invocation = context_.invocation;
  CollectOptions collecting;
  collecting.sample_count = std::min(data_->size(), most_refining_samples);
  collecting.threads = context_.machine.threads;
  collecting.cap = &invocation.memory;
  collecting.stop = &invocation.stop;
  const Progress progress(invocation.options, invocation.messages, "refining");
  refiner_ = std::make_unique<WeightRefiner>(
      plan, numbers, *calibration_, floats_,
      [this](std::int64_t index) { return data_->sample(index).inputs; }, collecting,
      &context_.machine.pool);
  cached_ = std::make_unique<CachedRefiner>(*refiner_);
  return cached_.get();
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
  numbers.refiner = refine(plan, numbers);
  made.numbers = numbers.groups;
  made.nodes = describe_plan(plan, names);
  insert_qdq(model, plan, numbers);
  if (choices.stores_rest) store_rest(context_, model, plan);
  return made;
}

}  // namespace ortool
