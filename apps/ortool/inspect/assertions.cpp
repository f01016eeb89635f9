// Assertions: parses and evaluates conditions on a model's metrics.
#include "apps/ortool/inspect/assertions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/amount.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

constexpr std::string_view operators_prefix = "ops.";
constexpr std::string_view opset_prefix = "opset.";

/// Names of metrics in --budget.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> budget_names = {{
    {"memory", "peak_activation_bytes"},
    {"macs", "macs"},
    {"weights", "weight_bytes"},
    {"parameters", "parameter_count"},
    {"nodes", "node_count"},
}};

Error unreadable(std::string_view option, std::string_view text, std::string_view example) {
  return Error(ErrorCode::invalid,
               format("option --{}: {} is not a condition", option, quote(text)),
               format("write it like --{} '{}'", option, example))
      .with_id("usage.value");
}

/// The limit of a condition; throws if it is invalid.
double read_limit(std::string_view option, std::string_view condition, std::string_view text) {
  const std::optional<double> amount = read_amount(text);
  if (amount) return *amount;
  throw Error(
      ErrorCode::invalid,
      text.empty() ? format("option --{}: {} has no limit", option, quote(condition))
                   : format("option --{}: {} is not a number (in {})", option, quote(text),
                            quote(condition)),
      "a limit is a number, optionally followed directly by k, M, G, T, kB, MB, MiB and so on")
      .with_id("usage.value");
}

std::string trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

bool compare(double found, std::string_view comparator, double limit) {
  if (comparator == "<=") return found <= limit;
  if (comparator == ">=") return found >= limit;
  if (comparator == "<") return found < limit;
  if (comparator == ">") return found > limit;
  if (comparator == "!=") return found != limit;
  return found == limit;
}

Assertion read_condition(std::string_view text) {
  constexpr std::string_view example = "ops.Conv<=20";
  const std::size_t start = text.find_first_of("<>=!");
  if (start == std::string_view::npos || start == 0) throw unreadable("assert", text, example);
  const std::size_t end = text.find_first_not_of("<>=!", start);
  Assertion assertion;
  assertion.condition = trim(text);
  assertion.metric = trim(text.substr(0, start));
  assertion.comparator = std::string(text.substr(start, end - start));
  constexpr std::array<std::string_view, 7> comparators = {"<=", ">=", "<", ">", "==", "=", "!="};
  const bool is_known =
      std::find(comparators.begin(), comparators.end(), assertion.comparator) != comparators.end();
  if (!is_known) throw unreadable("assert", text, example);
  if (assertion.comparator == "=") assertion.comparator = "==";
  assertion.limit = read_limit("assert", assertion.condition,
                               end == std::string_view::npos ? "" : trim(text.substr(end)));
  return assertion;
}

Assertion read_budget(const std::string& text) {
  const std::size_t equals = text.find('=');
  constexpr std::string_view example = "memory=256MB,macs=300M";
  if (equals == std::string::npos) throw unreadable("budget", text, example);
  const double limit = read_limit("budget", trim(text), trim(text.substr(equals + 1)));
  if (limit < 0) throw unreadable("budget", text, example);
  const std::string name = trim(text.substr(0, equals));
  std::vector<std::string> known;
  for (const auto& [short_name, metric] : budget_names) {
    if (short_name == name) {
      return {trim(text), std::string(metric), "<=", limit, {}, false};
    }
    known.emplace_back(short_name);
  }
  throw unknown_name("budget", name, "budgets", known);
}

/// A formula that is too long for a line is replaced by the node that it depends on.
ModelFigure metric_of(const Cost& cost) {
  constexpr std::size_t max_bytes = 200;
  if (cost.value()) return {cost.value(), {}};
  const std::string formula = cost.formula();
  const bool is_told = cost.cause().empty() || formula.size() <= max_bytes;
  return {{}, is_told ? formula : format("it depends on {}", quote(cost.cause(), 60))};
}

std::string number_text(double number) {
  return number == std::floor(number) && std::abs(number) < 0x1p53
             ? std::to_string(static_cast<std::int64_t>(number))
             : format("{}", number);
}

}  // namespace

Metrics::Metrics(const Model& model, const Summary& summary,
                 const QuantizationReadout& quantization)
    : model_(model), summary_(summary) {
  const auto count = [](std::size_t number) {
    return ModelFigure{static_cast<std::int64_t>(number), {}};
  };
  const auto of_weights = [&](const std::optional<std::int64_t>& number) {
    return ModelFigure{number, number ? "" : "not counted with --no-weights"};
  };
  metrics_["node_count"] = {summary.node_count, {}};
  metrics_["op_types"] = count(summary.op_histogram.size());
  metrics_["parameter_count"] = {summary.parameter_count, {}};
  metrics_["weight_bytes"] = {summary.weight_bytes, {}};
  metrics_["macs"] = metric_of(summary.macs);
  metrics_["peak_activation_bytes"] =
      summary.peak_activations.unknown != nullptr
          ? ModelFigure{{},
                        format("the size of value '{}' is unknown",
                               summary.peak_activations.unknown->name())}
          : metric_of(summary.peak_activations.bytes);
  metrics_["denormal_weights"] = of_weights(summary.denormal_weights());
  metrics_["duplicate_weight_bytes"] = of_weights(summary.duplicate_weight_bytes());
  std::optional<std::int64_t> nans;
  std::optional<std::int64_t> infinities;
  if (summary.weight_findings) {
    nans = summary.weight_findings->total.nans;
    infinities = summary.weight_findings->total.infinities;
  }
  metrics_["nan_weights"] = of_weights(nans);
  metrics_["infinite_weights"] = of_weights(infinities);
  metrics_["unknown_shape_nodes"] = count(summary.shape_blockers.size());
  metrics_["input_count"] = count(model.inputs().size());
  metrics_["output_count"] = count(model.outputs().size());
  metrics_["function_count"] = count(model.functions.size());
  metrics_["external_files"] = count(model.external_files.size());
  metrics_["ir_version"] = {model.ir_version, {}};
  metrics_["opset"] = {model.opset(""), {}};
  metrics_["quantized_nodes"] = {quantization.quantized_nodes, {}};
  metrics_["float_subgraphs"] = count(quantization.float_subgraphs.size());
}

ModelFigure Metrics::find(std::string_view name) const {
  const auto found = metrics_.find(name);
  if (found != metrics_.end()) return found->second;
  if (name.starts_with(opset_prefix)) {
    const std::string_view domain = canonical_domain(name.substr(opset_prefix.size()));
    return {model_.opset(domain), {}};
  }
  std::vector<std::string> known;
  if (name.starts_with(operators_prefix)) {
    const std::string op_type(name.substr(operators_prefix.size()));
    const auto entry = summary_.op_histogram.find(op_type);
    if (entry != summary_.op_histogram.end()) return {entry->second, {}};
    const std::size_t dot = op_type.rfind('.');
    const bool has_domain = dot != std::string::npos;
    if (find_op(has_domain ? op_type.substr(0, dot) : "",
                has_domain ? op_type.substr(dot + 1) : op_type) != nullptr) {
      return {0, {}};
    }
    for (const auto& [operator_name, count] : summary_.op_histogram) {
      known.push_back(std::string(operators_prefix) + operator_name);
    }
    throw unknown_name("metric", name, "operators of the model", known);
  }
  for (const auto& [metric, value] : metrics_) known.push_back(metric);
  known.emplace_back("ops.TYPE");
  known.emplace_back("opset.DOMAIN");
  throw unknown_name("metric", name, "metrics", known);
}

std::vector<Assertion> check_assertions(const OptionValues& options, const Metrics& metrics) {
  std::vector<Assertion> assertions;
  for (const std::string& text : options.all("assert")) {
    if (trim(text).empty()) throw unreadable("assert", text, "ops.Conv<=20");
    for (const std::string& condition : split(text, ',')) {
      assertions.push_back(read_condition(condition));
    }
  }
  for (const std::string& text : options.all("budget")) {
    if (trim(text).empty()) throw unreadable("budget", text, "memory=256MB,macs=300M");
    for (const std::string& part : split(text, ',')) assertions.push_back(read_budget(part));
  }
  for (Assertion& assertion : assertions) {
    assertion.found = metrics.find(assertion.metric);
    assertion.has_passed =
        assertion.found.number && compare(static_cast<double>(*assertion.found.number),
                                          assertion.comparator, assertion.limit);
  }
  return assertions;
}

Json assertions_block(std::span<const Assertion> assertions) {
  Json list = Json::list();
  for (const Assertion& assertion : assertions) {
    Json block = Json::object();
    block.set("condition", assertion.condition)
        .set("metric", assertion.metric)
        .set("comparator", assertion.comparator)
        .set("limit", assertion.limit)
        .set("found", assertion.found.number ? Json(*assertion.found.number) : Json());
    if (!assertion.found.number) block.set("formula", assertion.found.formula);
    list.add(std::move(block.set("passed", assertion.has_passed)));
  }
  return list;
}

std::string assertions_text(std::span<const Assertion> assertions) {
  std::string text;
  for (const Assertion& assertion : assertions) {
    if (assertion.has_passed) continue;
    std::string found = assertion.found.number
                            ? format("is {}", *assertion.found.number)
                            : format("cannot be determined: {} (--dim and --shape fix dimensions)",
                                     shorten(assertion.found.formula, 200));
    text += printable(format("failed: {} {} {}: it {}", assertion.metric, assertion.comparator,
                             number_text(assertion.limit), found)) +
            "\n";
  }
  if (!text.empty()) return text;
  return assertions.size() == 1 ? "1 condition holds\n"
                                : format("{} conditions hold\n", assertions.size());
}

}  // namespace ortool
