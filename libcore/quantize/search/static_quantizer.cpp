// Static model maker: input moments are collected once for all plans.
#include "libcore/quantize/search/static_quantizer.hpp"

#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/calibrate/sample_split.hpp"
#include "libcore/quantize/refine/bias_correction.hpp"
#include "libcore/quantize/refine/cached_refiner.hpp"
#include "libcore/quantize/refine/refine_weights.hpp"

namespace ortool {

/// Rounds with RoundingEffort::thorough.
class ThoroughRefiner : public PlanRefiner {
 public:
  explicit ThoroughRefiner(const WeightRefiner& refiner) : refiner_(refiner) {}

  QuantizedData round(const PlannedNode& planned, QuantizedData nearest) const override {
    return refiner_.round_with(RoundingEffort::thorough, planned, std::move(nearest));
  }
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const QuantizedData& codes) const override {
    return refiner_.correct(planned, bias, codes);
  }

 private:
  const WeightRefiner& refiner_;
};

namespace {

/// Subtracts the chosen shifts from biases, after an optional inner refiner.
class ShiftingRefiner : public PlanRefiner {
 public:
  ShiftingRefiner(const PlanRefiner* refiner, const PlanChoices& choices, const NodeNames& names)
      : refiner_(refiner), choices_(choices), names_(names) {}

  QuantizedData round(const PlannedNode& planned, QuantizedData nearest) const override {
    return refiner_ != nullptr ? refiner_->round(planned, std::move(nearest)) : nearest;
  }
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const QuantizedData& codes) const override {
    const Tensor corrected = refiner_ != nullptr ? refiner_->correct(planned, bias, codes) : bias;
    const auto choice = choices_.nodes.find(names_.at(planned.node));
    if (choice == choices_.nodes.end() || choice->second.bias_shift.empty()) return corrected;
    try {
      return corrected_bias(corrected, choice->second.bias_shift);
    } catch (Error& error) {
      throw error.in(format("bias_shift of node {}", quote(choice->first)));
    }
  }

 private:
  const PlanRefiner* refiner_;
  const PlanChoices& choices_;
  const NodeNames& names_;
};

}  // namespace

/// Input moments, and the refinements derived from them.
struct StaticQuantizer::Refiner {
  explicit Refiner(std::unique_ptr<WeightRefiner> refiner)
      : made(std::move(refiner)), thorough(*made), cached_quick(*made), cached_thorough(thorough) {}

  const PlanRefiner* with(WeightRangeChoice fit) const {
    return fit == WeightRangeChoice::thorough ? &cached_thorough : &cached_quick;
  }

  std::unique_ptr<WeightRefiner> made;
  ThoroughRefiner thorough;
  CachedRefiner cached_quick;
  CachedRefiner cached_thorough;
};

StaticQuantizer::StaticQuantizer(const QuantizeContext& context, const Session& floats,
                                 const Calibration* calibration, CalibrationData* data)
    : context_(context), floats_(floats), calibration_(calibration), data_(data) {
  if (data_ != nullptr) fitting_ = split_samples(data_->size()).fitting;
}

StaticQuantizer::~StaticQuantizer() = default;

const PlanRefiner* StaticQuantizer::refine(const QuantizePlan& plan, WeightRangeChoice fit) {
  const bool can_fit =
      context_.settings.recipe != "fast" && data_ != nullptr && calibration_ != nullptr;
  if (!can_fit || fit == WeightRangeChoice::nearest) return nullptr;
  if (refiner_ != nullptr && refiner_->made->serves(plan)) return refiner_->with(fit);
  refiner_.reset();
  collect_from(0, [&](const auto& sample, const CollectOptions& options) {
    refiner_ = std::make_unique<Refiner>(
        std::make_unique<WeightRefiner>(plan, context_.settings.weights, *calibration_, floats_,
                                        sample, options, &context_.machine.pool));
  });
  return refiner_->with(fit);
}

template <typename Collect>
void StaticQuantizer::collect_from(std::int64_t first, const Collect& collect) {
  const TaskContext& task = context_.task;
  CollectOptions options;
  options.first_sample = first;
  options.sample_count = static_cast<std::int64_t>(fitting_.size());
  options.threads = context_.machine.threads;
  options.cap = &task.memory;
  options.stop = &task.stop;
  Progress progress(task, "refining");
  const auto sample = [&](std::int64_t index) {
    progress.tell_done(index, options.sample_count);
    return data_->sample(fitting_[static_cast<std::size_t>(index)]).inputs;
  };
  collect(sample, options);
}

void StaticQuantizer::fit_to_all() {
  if (data_ == nullptr) return;
  const std::vector<std::int64_t> added = added_to_fitting(data_->size());
  if (added.empty() || fitting_.size() > split_samples(data_->size()).fitting.size()) return;
  const auto known = static_cast<std::int64_t>(fitting_.size());
  fitting_.insert(fitting_.end(), added.begin(), added.end());
  if (refiner_ == nullptr) return;
  collect_from(known, [&](const auto& sample, const CollectOptions& options) {
    refiner_->made->add(floats_, sample, options);
  });
  // Weights are rounded again.
  refiner_ = std::make_unique<Refiner>(std::move(refiner_->made));
}

MadePlan StaticQuantizer::make(Model& model, const PlanChoices& choices) {
  MadePlan made;
  const auto names = names_apart(model);
  const QuantizePlan plan = make_plan(model, rules_of(context_, calibration_, choices, names));
  PlanParams params;
  params.groups = choose_group_params(plan,
                                      {.calibration = calibration_,
                                       .type = context_.settings.activations,
                                       .method = context_.settings.method,
                                       .choices = &choices,
                                       .ranges = &ranges_},
                                      made.chosen);
  params.weights.type = context_.settings.weights;
  params.cap = &context_.task.memory;
  const ShiftingRefiner refiner(refine(plan, choices.weight_fit), choices, names);
  params.refiner = &refiner;
  made.params = params.groups;
  made.nodes = describe_plan(plan, names);
  for (ReportedNode& node : made.nodes) {
    const auto choice = choices.nodes.find(node.plan_name);
    if (choice != choices.nodes.end()) node.bias_shift = choice->second.bias_shift;
  }
  // Tensors keep the file of their store alive.
  std::optional<QuantizedWeightStore> store;
  if (context_.store != nullptr) store.emplace(context_.store->another());
  params.store = store ? &*store : nullptr;
  insert_qdq(model, plan, params);
  if (choices.stores_rest) made.stored_rest = store_rest(context_, model, plan);
  return made;
}

}  // namespace ortool
