// Report of searches and suggestions: one line for each.
#include "apps/ortool/quantize/search_report.hpp"

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/calibrate/sample_split.hpp"
#include "libcore/quantize/search/choose_method.hpp"

namespace ortool {
namespace {

std::string signed_number(double value) {
  return (value < 0 ? "" : "+") + fixed_number(value, 3);
}

std::string technique_text(const MethodTrial& trial) {
  return format("{} with {} weights", name_of(trial.method),
                trial.is_fitted ? "fitted" : "the nearest");
}

std::string value_text(BudgetMetric metric, double value) {
  if (is_share(metric)) return fixed_number(value * 100, 2) + " %";
  return metric == BudgetMetric::sqnr ? fixed_number(value, 1) + " dB" : fixed_number(value, 6);
}

Json accuracy_block(const Accuracy& accuracy) {
  Json block = Json::object()
                   .set("metric", name_of(accuracy.metric))
                   .set("n", accuracy.count)
                   .set("before", accuracy.before)
                   .set("after", accuracy.after)
                   .set("minimum", accuracy.least ? Json(*accuracy.least) : Json());
  if (!counts_labels(accuracy.metric)) return block;
  return block.set("flips_lost", accuracy.lost)
      .set("flips_gained", accuracy.gained)
      .set("p_value", accuracy.p_value);
}

/// "top1: 89.10 % -> 88.90 % of 1000 (…)".
std::string accuracy_text(const Accuracy& accuracy) {
  const BudgetMetric metric = accuracy.metric;
  std::string text = format("{}: {} -> {}", name_of(metric), value_text(metric, accuracy.before),
                            value_text(metric, accuracy.after));
  if (accuracy.least) text += format(" (at least {})", value_text(metric, *accuracy.least));
  if (counts_labels(metric)) {
    text += format(" of {}, {} lost and {} gained, p = {}", accuracy.count, accuracy.lost,
                   accuracy.gained, fixed_number(accuracy.p_value, 3));
  }
  return text + "\n";
}

void add_search(const BudgetResult& budget, SearchReport& report) {
  const SearchResult& found = budget.search;
  report.block.set("accuracy", accuracy_block(budget.accuracy));
  report.text += accuracy_text(budget.accuracy);
  if (found.candidates == 0) return;
  Json left = Json::list();
  for (const FloatNode& each : found.left)
    left.add(Json::object().set("node", each.node).set("alone_sqnr_db", each.alone_db));
  report.block.set("search", Json::object()
                                 .set("candidates", found.candidates)
                                 .set("within_budget", found.is_within)
                                 .set("kept_float", std::move(left)));
  if (!found.is_within) {
    report.text += format(
        "no plan meets the budget: {} were evaluated, and nothing is written (--plan-out has the "
        "best)\n",
        found.candidates);
    return;
  }
  for (const FloatNode& each : found.left) {
    report.text +=
        format("left in float for the budget: {} (quantized alone, it gives an SQNR of {})\n",
               shorten(each.node), decibels(each.alone_db));
  }
}

void add_method_trials(const QuantizeResult& result, SearchReport& report) {
  const std::vector<MethodTrial>& trials = result.methods;
  Json list = Json::list();
  std::string others;
  for (const MethodTrial& trial : trials) {
    list.add(Json::object()
                 .set("method", name_of(trial.method))
                 .set("fits_weights", trial.is_fitted)
                 .set("sqnr_db", mean_of(trial.ratios)));
    if (&trial == &trials.front()) continue;
    others += format("{}{} {}", others.empty() ? "" : ", ", technique_text(trial),
                     decibels(mean_of(trial.ratios)));
  }
  const std::string reason = reason_of_preference(trials);
  report.block.set("method_trials", std::move(list));
  report.block.set("method_preference", reason.empty() ? Json() : Json(reason));
  report.text +=
      format("ranges by {}: SQNR {} {} ({}){}\n", technique_text(trials.front()),
             decibels(mean_of(trials.front().ratios)),
             split_samples(result.samples).is_apart ? "on held-out samples"
                                                    : "on the samples that were used to fit them",
             others, reason.empty() ? "" : "; " + reason);
}

void add_techniques(const QuantizeResult& result, SearchReport& report) {
  const std::vector<TechniqueTrial>& trials = *result.techniques;
  Json list = Json::list();
  for (const TechniqueTrial& trial : trials) {
    list.add(Json::object()
                 .set("technique", trial.technique)
                 .set("groups", Json::list_of(trial.on))
                 .set("gain_db", trial.gain_db)
                 .set("is_kept", trial.is_kept));
    const std::string on =
        trial.on.empty() ? std::string() : format(" of channels from {} on", list_names(trial.on));
    report.text += format("{}{}: {} dB, {}\n", trial.technique, on, signed_number(trial.gain_db),
                          trial.is_kept ? "kept" : "left out");
    if (trial.is_kept && trial.technique == "bias" && !split_samples(result.samples).is_apart) {
      report.text +=
          "  measured on the samples used to decide: other samples gain less, or nothing "
          "(--validation-data shows it)\n";
    }
  }
  report.block.set("techniques", std::move(list));
}

void add_kept_faster(const FasterClusters& kept, SearchReport& report) {
  Json clusters = Json::list();
  std::int64_t left = 0;
  for (const ClusterTimes& cluster : kept.clusters) {
    clusters.add(Json::object()
                     .set("first_node", cluster.cluster.units.front().first)
                     .set("nodes", static_cast<std::int64_t>(cluster.cluster.nodes().size()))
                     .set("float_ms", cluster.is_measured ? Json(cluster.float_ms) : Json())
                     .set("int8_ms", cluster.is_measured ? Json(cluster.int8_ms) : Json())
                     .set("is_quantized", cluster.is_kept));
    left += cluster.is_kept ? 0 : 1;
  }
  report.block.set("keep_faster", Json::object()
                                      .set("float_ms", kept.float_ms)
                                      .set("int8_ms", kept.int8_ms)
                                      .set("clusters", std::move(clusters)));
  report.text += format(
      "run time here: {} ms, {} ms in float; {} of {} clusters stay in float, since int8 does not "
      "make them faster\n",
      fixed_number(kept.int8_ms, 3), fixed_number(kept.float_ms, 3), left, kept.clusters.size());
}

void add_suggestions(const std::vector<Suggestion>& suggestions, SearchReport& report) {
  Json list = Json::list();
  for (const Suggestion& each : suggestions) {
    list.add(Json::object()
                 .set("exclude", each.exclude)
                 .set("sqnr_before_db", each.before_db)
                 .set("sqnr_after_db", each.after_db)
                 .set("sqnr_gain_db", each.after_db - each.before_db)
                 .set("cost_ms", each.cost_ms));
    report.text +=
        format("--exclude {}: SQNR {} -> {}, {} ms per run\n", quote(each.exclude),
               decibels(each.before_db), decibels(each.after_db), signed_number(each.cost_ms));
  }
  report.block.set("suggestions", std::move(list));
}

}  // namespace

SearchReport describe_searches(const QuantizeResult& result) {
  SearchReport report;
  if (!result.methods.empty()) add_method_trials(result, report);
  if (result.techniques) add_techniques(result, report);
  const bool has_data = result.settings.mode == QuantizeMode::statically;
  if (result.kept_faster && !has_data) add_kept_faster(*result.kept_faster, report);
  if (result.budget) add_search(*result.budget, report);
  if (result.suggestions) add_suggestions(*result.suggestions, report);
  if (result.kept_faster && has_data) add_kept_faster(*result.kept_faster, report);
  return report;
}

}  // namespace ortool
