// Static model maker: input moments are collected once per set of scales.
#include "libcore/quantize/search/static_maker.hpp"

#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/calibrate/sample_split.hpp"
#include "libcore/quantize/refine/bias_correction.hpp"
#include "libcore/quantize/refine/cached_refiner.hpp"
#include "libcore/quantize/refine/refine_weights.hpp"
#include "libcore/quantize/scheme/choose_params.hpp"

namespace ortool {

/// Rounds with RoundingEffort::thorough.
class ThoroughRefiner : public PlanRefiner {
 public:
  explicit ThoroughRefiner(const WeightRefiner& refiner) : refiner_(refiner) {}

  WeightLevels round(const PlannedNode& planned, WeightLevels nearest) const override {
    return refiner_.round_with(RoundingEffort::thorough, planned, std::move(nearest));
  }
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const WeightLevels& levels) const override {
    return refiner_.correct(planned, bias, levels);
  }

 private:
  const WeightRefiner& refiner_;
};

namespace {

/// Limited, since their moments take memory.
constexpr std::size_t most_refiners = 2;

/// Subtracts the chosen shifts from biases, after an optional inner refiner.
class ShiftingRefiner : public PlanRefiner {
 public:
  ShiftingRefiner(const PlanRefiner* refiner, const PlanChoices& choices, const NodeNames& names)
      : refiner_(refiner), choices_(choices), names_(names) {}

  WeightLevels round(const PlannedNode& planned, WeightLevels nearest) const override {
    return refiner_ != nullptr ? refiner_->round(planned, std::move(nearest)) : nearest;
  }
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const WeightLevels& levels) const override {
    const Tensor corrected = refiner_ != nullptr ? refiner_->correct(planned, bias, levels) : bias;
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
struct StaticMaker::Refiner {
  explicit Refiner(std::unique_ptr<WeightRefiner> refiner)
      : made(std::move(refiner)), thorough(*made), cached_quick(*made), cached_thorough(thorough) {}

  const PlanRefiner* with(WeightFit fit) const {
    return fit == WeightFit::thorough ? &cached_thorough : &cached_quick;
  }

  std::unique_ptr<WeightRefiner> made;
  ThoroughRefiner thorough;
  CachedRefiner cached_quick;
  CachedRefiner cached_thorough;
};

StaticMaker::StaticMaker(const QuantizeContext& context, const Session& floats,
                         const Calibration* calibration, CalibrationData* data)
    : context_(context), floats_(floats), calibration_(calibration), data_(data) {
  if (data_ != nullptr) fitting_ = split_samples(data_->size()).fitting;
}

StaticMaker::~StaticMaker() = default;

const PlanRefiner* StaticMaker::refine(const QuantizePlan& plan, const PlanNumbers& numbers,
                                       WeightFit fit) {
  const bool can_fit =
      context_.settings.recipe != "fast" && data_ != nullptr && calibration_ != nullptr;
  if (!can_fit || fit == WeightFit::nearest) return nullptr;
  const auto known = std::find_if(refiners_.begin(), refiners_.end(), [&](const auto& refiner) {
    return refiner->made->serves(plan, numbers);
  });
  if (known != refiners_.end()) {
    std::rotate(refiners_.begin(), known, known + 1);
    return refiners_.front()->with(fit);
  }
  if (refiners_.size() == most_refiners) refiners_.pop_back();
  const TaskContext& task = context_.task;
  CollectOptions collecting;
  collecting.sample_count = static_cast<std::int64_t>(fitting_.size());
  collecting.threads = context_.machine.threads;
  collecting.cap = &task.memory;
  collecting.stop = &task.stop;
  const Progress progress(task, "refining");
  refiners_.insert(refiners_.begin(),
                   std::make_unique<Refiner>(std::make_unique<WeightRefiner>(
                       plan, numbers, *calibration_, floats_,
                       [&](std::int64_t index) {
                         return data_->sample(fitting_[static_cast<std::size_t>(index)]).inputs;
                       },
                       collecting, &context_.machine.pool)));
  return refiners_.front()->with(fit);
}

void StaticMaker::fit_to_all() {
  if (data_ == nullptr) return;
  std::vector<std::int64_t> all = all_fitting(data_->size());
  if (all == fitting_) return;
  fitting_ = std::move(all);
  refiners_.clear();
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
  numbers.cap = &context_.task.memory;
  const ShiftingRefiner refiner(refine(plan, numbers, choices.weight_fit), choices, names);
  numbers.refiner = &refiner;
  made.numbers = numbers.groups;
  made.nodes = describe_plan(plan, names);
  for (ReportedNode& node : made.nodes) {
    const auto choice = choices.nodes.find(node.plan_name);
    if (choice != choices.nodes.end()) node.bias_shift = choice->second.bias_shift;
  }
  // Tensors keep the file of their store alive.
  std::optional<LevelStore> store;
  if (context_.store != nullptr) store.emplace(context_.store->another());
  numbers.store = store ? &*store : nullptr;
  insert_qdq(model, plan, numbers);
  if (choices.stores_rest) store_rest(context_, model, plan);
  return made;
}

}  // namespace ortool
