// --max-drop: few evaluations, since each is a pass over the whole set.
#include "libcore/quantize/search/max_drop.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/readable_number.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_ranking_samples = 8;
/// The maximum number of evaluations; after that no more products are quantized again.
constexpr std::int64_t max_candidates = 60;

class PlanSearch {
 public:
  PlanSearch(const CandidateBuilder& builder, const Validation& validation, PlanChoices& choices,
             Candidate& candidate)
      : builder_(builder),
        validation_(validation),
        first_(choices),
        choices_(choices),
        candidate_(candidate) {}

  SearchResult run(const Session& floats, CalibrationData* data);

 private:
  using Products = std::vector<FloatNode>;

  void rank(const Session& floats, CalibrationData* data);
  PlanChoices without(const std::vector<bool>& is_float) const;
  bool is_enough(const std::vector<bool>& is_float);
  std::size_t shortest_prefix();
  void give_back(std::vector<bool>& is_float, std::size_t first, std::size_t last,
                 const std::function<void(std::size_t)>& on_decided);

  const CandidateBuilder& builder_;
  const Validation& validation_;
  const PlanChoices first_;
  PlanChoices& choices_;
  Candidate& candidate_;
  std::vector<std::string> names_;  ///< plan names, the noisiest first
  Products products_;
  SearchResult result_;
};

PlanChoices PlanSearch::without(const std::vector<bool>& is_float) const {
  PlanChoices choices = first_;
  for (std::size_t i = 0; i < is_float.size(); ++i) {
    if (!is_float[i]) continue;
    leave_float(choices, names_[i],
                format("left in float for {}: quantized alone, it gives an SQNR of {} dB",
                       setting_name("max-drop"), fixed_number(products_[i].alone_db, 1)));
  }
  return choices;
}

/// Quantizes each product alone, and measures the output SQNR on a few samples.
void PlanSearch::rank(const Session& floats, CalibrationData* data) {
  const QuantizeContext& context = builder_.context();
  Progress progress(context.task, "ranking");
  std::vector<Unit> units = units_of(candidate_.plan);
  std::erase_if(units, [](const Unit& unit) { return !unit.is_product; });
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < units.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(units.size()));
    PlanChoices alone = first_;
    for (const Unit& other : units) {
      if (other.plan_name != units[i].plan_name) leave_float(alone, other.plan_name, "ranking");
    }
    const Candidate tried = builder_.make(alone);
    const auto session = builder_.session(*tried.model, OptimizeLevel::all);
    const double sqnr = data == nullptr
                            ? 0
                            : worst_sqnr_db(compare_outputs(context.task, context.machine, floats,
                                                            *session, *data, max_ranking_samples));
    order.emplace_back(sqnr, i);
  }
  std::stable_sort(order.begin(), order.end());
  for (const auto& [sqnr, index] : order) {
    names_.push_back(units[index].plan_name);
    products_.push_back({units[index].name, sqnr});
  }
}

bool PlanSearch::is_enough(const std::vector<bool>& is_float) {
  PlanChoices choices = without(is_float);
  Candidate tried = builder_.make(choices);
  const CandidateScore model_score = validation_.judge(*tried.model);
  ++result_.candidates;
  const bool is_within = validation_.is_within(model_score);
  if (!is_within && model_score.value <= result_.model_score.value) return false;
  result_.model_score = model_score;
  choices_ = std::move(choices);
  candidate_ = std::move(tried);
  return is_within;
}

/// The smallest sufficient number of products in float; all of them if no fewer are sufficient.
std::size_t PlanSearch::shortest_prefix() {
  const std::size_t all = products_.size();
  Progress progress(builder_.context().task, "searching");
  // Doubled until it is sufficient, then bisected.
  progress.expect(2 * static_cast<std::int64_t>(std::bit_width(all)));
  const auto is_prefix_enough = [&](std::size_t count) {
    std::vector<bool> is_float(all);
    std::fill_n(is_float.begin(), count, true);
    progress.finish();
    return is_enough(is_float);
  };
  std::size_t too_few = 0;
  std::size_t enough = 1;
  while (enough < all && !is_prefix_enough(enough)) {
    too_few = enough;
    enough = std::min(all, 2 * enough);
  }
  while (enough - too_few > 1) {
    const std::size_t middle = (too_few + enough) / 2;
    if (is_prefix_enough(middle)) {
      enough = middle;
    } else {
      too_few = middle;
    }
  }
  return enough;
}

/// Tries to quantize the products [first, last) of the ranking again, all at once or by halves;
/// `on_decided` is called with the number of those that are decided.
void PlanSearch::give_back(std::vector<bool>& is_float, std::size_t first, std::size_t last,
                           const std::function<void(std::size_t)>& on_decided) {
  if (first >= last || result_.candidates >= max_candidates) return;
  std::vector<bool> tried = is_float;
  std::fill(tried.begin() + static_cast<std::ptrdiff_t>(first),
            tried.begin() + static_cast<std::ptrdiff_t>(last), false);
  if (is_enough(tried)) {
    is_float = tried;
    return on_decided(last - first);
  }
  if (last - first == 1) return on_decided(1);
  const std::size_t middle = first + (last - first) / 2;
  give_back(is_float, middle, last, on_decided);
  give_back(is_float, first, middle, on_decided);
}

SearchResult PlanSearch::run(const Session& floats, CalibrationData* data) {
  result_.model_score = validation_.judge(*candidate_.model);
  ++result_.candidates;
  if (validation_.is_within(result_.model_score)) return result_;
  rank(floats, data);
  const std::size_t prefix = shortest_prefix();
  if (prefix >= products_.size()) {
    result_.is_within = false;
    return result_;
  }
  std::vector<bool> is_float(products_.size());
  std::fill_n(is_float.begin(), prefix, true);
  Progress progress(builder_.context().task, "restoring");
  std::size_t decided = 0;
  const auto count_decided = [&](std::size_t more) {
    decided += more;
    progress.tell_done(static_cast<std::int64_t>(decided), static_cast<std::int64_t>(prefix - 1));
  };
  count_decided(0);
  give_back(is_float, 0, prefix - 1, count_decided);
  // The last plan evaluated may be a different one.
  choices_ = without(is_float);
  candidate_ = builder_.make(choices_);
  result_.model_score = validation_.judge(*candidate_.model);
  result_.is_within = validation_.is_within(result_.model_score);
  for (std::size_t i = 0; i < is_float.size(); ++i) {
    if (is_float[i]) result_.left.push_back(products_[i]);
  }
  return result_;
}

}  // namespace

SearchResult search_plan(const CandidateBuilder& builder, const Session& floats,
                         CalibrationData* data, const Validation& validation, PlanChoices& choices,
                         Candidate& candidate) {
  return PlanSearch(builder, validation, choices, candidate).run(floats, data);
}

}  // namespace ortool
