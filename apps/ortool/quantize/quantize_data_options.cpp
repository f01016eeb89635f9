// Data options of quantize: data sets, samples and the metric.
#include <algorithm>

#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/metric_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/class_names.hpp"
#include "libcore/dataset/random_samples.hpp"

namespace ortool {
namespace {

constexpr std::string_view command_prefix = "cmd:";

std::vector<std::string> list_of(std::span<const std::string> values) {
  return {values.begin(), values.end()};
}

/// "100", or "100:200" for the second hundred.
std::pair<std::int64_t, std::int64_t> read_samples(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::int64_t first = 0;
  std::int64_t last = 0;
  const bool is_range = colon != std::string::npos;
  const bool is_read = read_integer(is_range ? text.substr(colon + 1) : text, last) &&
                       (!is_range || read_integer(text.substr(0, colon), first));
  if (is_read && first >= 0 && last > first) return {first, last};
  throw Error(
      ErrorCode::invalid,
      format("option --samples: {} is neither a number of samples nor FIRST:END", quote(text)),
      "give 100, or 100:200 for the second hundred")
      .with_id("usage.value");
}

}  // namespace

void check_data_options(const OptionValues& options) {
  if (options.has("samples")) static_cast<void>(read_samples(options.text("samples")));
}

std::optional<std::int64_t> needed_samples(const OptionValues& options) {
  if (!options.has("samples")) return std::nullopt;
  return read_samples(options.text("samples")).second;
}

std::optional<Budget> read_budget(const OptionValues& options) {
  if (!options.has("metric") && !options.has("max-drop")) return std::nullopt;
  Budget budget;
  const std::string metric = options.text("metric", "top1");
  if (metric.starts_with(command_prefix)) {
    budget.metric = BudgetMetric::command;
    budget.command = metric.substr(command_prefix.size());
    if (budget.command.find_first_not_of(' ') == std::string::npos) {
      throw Error(ErrorCode::invalid, "option --metric: cmd: names no command",
                  "write it like cmd:./evaluate.sh, which is called with the model's path")
          .with_id("usage.value");
    }
  } else {
    std::vector<std::string> known;
    bool is_known = false;
    for (const BudgetMetric each : {BudgetMetric::top1, BudgetMetric::top5, BudgetMetric::map,
                                    BudgetMetric::miou, BudgetMetric::cosine, BudgetMetric::sqnr}) {
      known.emplace_back(name_of(each));
      if (metric != name_of(each)) continue;
      budget.metric = each;
      is_known = true;
    }
    known.emplace_back("cmd:COMMAND");
    if (!is_known) throw unknown_name("metric", metric, "metrics", known);
    budget.outputs = read_metric_options(options);
  }
  if (!options.has("max-drop")) return budget;
  std::string text = options.text("max-drop");
  budget.is_share = text.ends_with('%');
  if (budget.is_share) text.pop_back();
  double drop = 0;
  if (!read_number(text, drop) || !(drop >= 0)) {
    throw Error(
        ErrorCode::invalid,
        format("option --max-drop: {} is not a number from 0 up", quote(options.text("max-drop"))),
        "give 0.01, or 1%")
        .with_id("usage.value");
  }
  budget.drop = budget.is_share ? drop / 100 : drop;
  const bool is_of_one = budget.metric != BudgetMetric::command || budget.is_share;
  if (is_of_one && *budget.drop >= 1) {
    throw Error(ErrorCode::invalid,
                format("option --max-drop: {} is the whole range", quote(options.text("max-drop"))),
                "one percent is 0.01 or 1%")
        .with_id("usage.value");
  }
  return budget;
}

QuantizeData read_quantize_data(const Invocation& invocation, const QuantizeSettings& settings,
                                const Model& model) {
  const OptionValues& options = invocation.options;
  const std::span<Value* const> inputs = model.inputs();
  QuantizeData data;
  data.calibration = list_of(options.all("calibration-data"));
  data.validation = list_of(options.all("validation-data"));
  data.caches = list_of(options.all("calibration-cache"));
  data.recipes = read_image_recipes(invocation, model);
  if (options.has("samples")) data.samples = read_samples(options.text("samples"));
  if (options.has("labels") && !compares_outputs(read_metric_options(options).metric))
    data.class_names = read_labels(options.text("labels"), &invocation.memory);
  data.is_random = settings.has_random_data;
  if (!data.is_random) return data;
  data.random.seed = options.integer("seed", 0);
  data.random.ranges = read_random_ranges(options, inputs);
  data.random.sizes = read_dimension_sizes(options, free_dimension_names(inputs));
  return data;
}

}  // namespace ortool
