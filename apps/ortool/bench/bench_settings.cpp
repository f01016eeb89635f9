// Parses the settings of bench: lists, ratios and durations.
#include "apps/ortool/bench/bench_settings.hpp"

#include <algorithm>
#include <array>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

Error bad_value(std::string_view option, const std::string& text, std::string_view expected,
                std::string hint) {
  return Error(ErrorCode::invalid,
               format("option --{}: {} is not a {}", option, quote(text), expected),
               std::move(hint))
      .with_id("usage.value");
}

/// "5%" or "0.05".
double read_share(std::string_view option, const std::string& text) {
  const bool is_percent = text.ends_with('%');
  double number = 0;
  const std::string digits = is_percent ? text.substr(0, text.size() - 1) : text;
  if (!read_number(digits, number) || !(number > 0) || number > (is_percent ? 1e4 : 100)) {
    throw bad_value(option, text, "share", format("write it like --{} 5%", option));
  }
  return is_percent ? number / 100 : number;
}

/// "12ms", "1.5s", "300us"; a number without a unit is in seconds.
double read_seconds(std::string_view option, const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"s", 1}, {"", 1}}};
  for (const auto& [unit, seconds] : units) {
    if (!text.ends_with(unit)) continue;
    double number = 0;
    const std::string digits = text.substr(0, text.size() - unit.size());
    if (!read_number(digits, number) || !(number * seconds > 0) || number * seconds > 1e6) break;
    return number * seconds;
  }
  throw bad_value(option, text, "duration", format("write it like --{} 5s or 20ms", option));
}

double read_percent(std::string_view option, std::string text) {
  if (text.starts_with('p')) text.erase(0, 1);
  double number = 0;
  if (!read_number(text, number) || !(number > 0 && number < 100)) {
    throw bad_value(option, text, "percentile", "give numbers between 0 and 100, such as 50,99");
  }
  return number;
}

std::optional<LatencyBound> read_bound(const OptionValues& options, std::string_view name) {
  if (!options.has(name)) return std::nullopt;
  const std::string text = options.text(name);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !text.starts_with('p')) {
    throw bad_value(name, text, "latency bound", format("write it like --{} p95=12ms", name));
  }
  return LatencyBound{read_percent(name, text.substr(0, equals)),
                      1e3 * read_seconds(name, text.substr(equals + 1))};
}

std::vector<int> read_threads(const OptionValues& options) {
  std::vector<int> threads;
  for (const std::string& text : options.all("threads")) {
    for (const std::string& piece : split(text, ',')) {
      std::int64_t number = available_processors();
      if (piece != "auto" && (!read_integer(piece, number) || number < 1 || number > 256)) {
        throw bad_value("threads", piece, "number of threads",
                        "give 1 to 256, several: 1,2,4, or auto");
      }
      if (std::find(threads.begin(), threads.end(), number) == threads.end()) {
        threads.push_back(static_cast<int>(number));
      }
    }
  }
  if (threads.empty()) threads.push_back(available_processors());
  return threads;
}

/// Every combination of the given values, the last dimension varying fastest.
std::vector<DimensionSizes> read_dims(const OptionValues& options) {
  std::vector<DimensionSizes> all = {{}};
  for (const std::string& text : options.all("dim")) {
    const std::size_t mark = text.find_last_of("=:");
    if (mark == std::string::npos || mark == 0 || mark + 1 == text.size()) {
      throw bad_value("dim", text, "NAME=N", "write it like --dim batch=1,8");
    }
    std::vector<DimensionSizes> longer;
    for (const DimensionSizes& numbers : all) {
      for (const std::string& piece : split(text.substr(mark + 1), ',')) {
        std::int64_t number = 0;
        if (!read_integer(piece, number) || number < 0) {
          throw bad_value("dim", piece, "dimension", "give integers: --dim batch=1,8");
        }
        longer.push_back(numbers);
        longer.back().emplace_back(text.substr(0, mark), std::to_string(number));
      }
    }
    all = std::move(longer);
    if (all.size() > 1000) {
      throw bad_value("dim", text, "list that can be measured", "give fewer numbers");
    }
  }
  return all;
}

void check_provider_name(std::string_view option, const std::string& name) {
  std::vector<std::string> known = {"auto"};
  for (const ProviderEntry& entry : provider_list()) known.emplace_back(entry.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw unknown_name(format("provider in --{}", option), name, "providers", known);
}

void read_thresholds(const OptionValues& options, BenchSettings& settings) {
  if (!options.has("max-regression")) return;
  for (const std::string& piece : split(options.text("max-regression"), ',')) {
    const std::size_t equals = piece.find('=');
    const bool is_named = equals != std::string::npos;
    if (is_named) check_provider_name("max-regression", piece.substr(0, equals));
    settings.max_regression[is_named ? piece.substr(0, equals) : ""] =
        read_share("max-regression", is_named ? piece.substr(equals + 1) : piece);
  }
}

void read_lengths(const OptionValues& options, BenchSettings& settings) {
  if (options.text("warmup", "auto") != "auto") {
    settings.warmup = options.integer("warmup", 0);
  }
  settings.iterations = options.integer("iterations", 0);
  if (options.has("duration")) {
    settings.duration_s = read_seconds("duration", options.text("duration"));
  }
  if (options.has("precision-target")) {
    settings.precision = read_share("precision-target", options.text("precision-target"));
  } else {
    settings.has_target = settings.iterations == 0 && settings.duration_s == 0;
  }
}

void check_together(const OptionValues& options, const BenchSettings& settings) {
  const bool has_rate = settings.rate_per_s > 0;
  if (options.has("distribution") && !has_rate && !settings.find_rate) {
    throw no_effect("distribution", "without --rate or --find-rate", "add --rate QPS");
  }
  if (has_rate && settings.find_rate) {
    throw no_effect("rate", "with --find-rate", "leave one of them out");
  }
  if ((has_rate || settings.find_rate) && options.flag("isolate")) {
    throw no_effect("isolate", "with --rate and --find-rate", "leave --isolate out");
  }
  if (options.has("tune")) {
    for (const char* name :
         {"reference", "baseline", "max-latency", "max-rss", "isolate", "rate", "find-rate",
          "profile", "threads", "execution", "iterations", "duration", "node-provider"}) {
      if (options.has(name)) throw no_effect(name, "with --tune", format("leave --{} out", name));
    }
    if (settings.models.size() > 1 || settings.has_several_dims()) {
      throw Error(ErrorCode::invalid, "--tune takes one model and one value per dimension",
                  "tune them one at a time, each with its own file")
          .with_id("usage.tune");
    }
  }
  if (options.flag("profile") && options.flag("isolate")) {
    throw no_effect("profile", "with --isolate", "leave --isolate out");
  }
  if (options.has("max-regression") && settings.baseline.empty() && settings.references.empty()) {
    throw no_effect("max-regression", "with nothing to compare with",
                    "add --baseline FILE or --reference MODEL");
  }
  if (options.flag("skip-unavailable") && !settings.names_providers) {
    throw no_effect("skip-unavailable", "without --provider", "name providers: --provider onednn");
  }
  if (options.flag("raw") && !options.flag("json") && !options.has("report") &&
      !options.has("format")) {
    throw no_effect("raw", "without --json, --report or --format csv", "add --json");
  }
  if (options.has("trace") && !options.flag("profile")) {
    throw no_effect("trace", "without --profile", "add --profile");
  }
}

}  // namespace

BenchSettings read_bench_settings(const Invocation& invocation) {
  const OptionValues& options = invocation.options;
  check_execution_options(options);
  BenchSettings settings;
  settings.models = {invocation.arguments.begin(), invocation.arguments.end()};
  settings.references = {options.all("reference").begin(), options.all("reference").end()};
  settings.providers = {options.all("provider").begin(), options.all("provider").end()};
  settings.names_providers = !settings.providers.empty();
  if (settings.providers.empty()) settings.providers = {"auto"};
  settings.threads = read_threads(options);
  settings.dims = read_dims(options);
  read_lengths(options, settings);
  settings.percentiles.clear();
  for (const std::string& text : split(options.text("percentiles", "50,90,95,99"), ',')) {
    const double percent = read_percent("percentiles", text);
    const auto& known = settings.percentiles;
    if (std::find(known.begin(), known.end(), percent) == known.end()) {
      settings.percentiles.push_back(percent);
    }
  }
  settings.concurrency = static_cast<int>(options.integer("concurrency", 1));
  settings.has_concurrency = options.has("concurrency");
  settings.rate_per_s = options.number("rate", 0);
  settings.is_poisson = options.text("distribution", "poisson") == "poisson";
  settings.find_rate = read_bound(options, "find-rate");
  settings.max_latency = read_bound(options, "max-latency");
  settings.max_rss_bytes = options.size_bytes("max-rss", 0);
  settings.baseline = options.text("baseline");
  read_thresholds(options, settings);
  check_together(options, settings);
  for (const std::string& model : settings.models) {
    const bool is_only = settings.models.size() == 1 && settings.threads.size() == 1 &&
                         settings.providers.size() == 1 && settings.dims.size() == 1;
    if (model == "-" && (!is_only || options.flag("isolate"))) {
      throw Error(ErrorCode::invalid, "the model from standard input cannot be read twice",
                  "give it as a file to measure it in several ways")
          .with_id("input.stream");
    }
  }
  return settings;
}

}  // namespace ortool
