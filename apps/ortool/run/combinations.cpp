// Option combinations of run, as a table.
#include "apps/ortool/run/combinations.hpp"

#include <initializer_list>

#include "apps/ortool/options/metric_options.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/run/sample_file.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/value_file.hpp"

namespace ortool {
namespace {

using OptionNames = std::initializer_list<std::string_view>;

[[noreturn]] void refuse_together(std::string_view option, std::string_view other) {
  throw no_effect(option, format("with --{}", other), "leave one of them out");
}

/// With `option` given, none of `others` may be.
void exclude(const OptionValues& options, std::string_view option, OptionNames others) {
  if (!options.has(option)) return;
  for (const std::string_view other : others) {
    if (options.has(other)) refuse_together(other, option);
  }
}

/// `option` needs `other`.
void require(const OptionValues& options, std::string_view option, std::string_view other,
             std::string_view usage) {
  if (!options.has(option) || options.has(other)) return;
  throw no_effect(option, format("without --{}", other), format("add --{}", usage));
}

/// Options that read other inputs than the files after MODEL.
void refuse_files(const OptionValues& options, std::span<const std::string> files) {
  if (files.empty()) return;
  for (const std::string_view option : {"test", "test-dir", "data"}) {
    if (!options.has(option)) continue;
    throw applies_to_nothing(
        format("argument {} has no effect with --{}", quote(files.front()), option),
        "leave one of them out");
  }
}

/// A row of a CSV file is a prediction.
void check_sample_file(const OptionValues& options) {
  const std::string path = options.text("save-outputs");
  if (!path.empty() && !is_csv_file(path) && extension_of(path) != ".jsonl") {
    throw Error(ErrorCode::invalid,
                format("option --save-outputs: {} has none of the known suffixes", quote(path)),
                "name a .jsonl file, or with --top a .jsonl or .csv file")
        .with_id("usage.value");
  }
  if (!is_csv_file(path) || options.has("top")) return;
  throw Error(ErrorCode::invalid,
              format("option --save-outputs: {} can hold predictions, but not whole outputs", path),
              "add --top 5, or write a .jsonl file")
      .with_id("usage.value");
}

void check_tolerances(const OptionValues& options, bool is_test) {
  if (is_test || options.has("expect") || options.has("compare")) return;
  for (const std::string_view option : {"rtol", "atol", "min-cosine", "same-top1"}) {
    if (!options.has(option)) continue;
    throw applies_to_nothing(format("option --{} has nothing to compare with", option),
                             "add --expect DIR, --compare KEY=VALUE or --test");
  }
}

}  // namespace

void check_run_options(const OptionValues& options, std::span<const std::string> files) {
  refuse_files(options, files);
  if (options.has("data") || !options.has("labels")) require(options, "softmax", "top", "top 5");
  const bool is_test = options.flag("test") || options.has("test-dir");
  if (options.flag("test") && options.has("test-dir")) refuse_together("test", "test-dir");
  const OptionNames not_with_tests = {
      "input", "inputs",       "input-dir", "random",     "seed",          "range",
      "image", "image-config", "expect",    "output-dir", "output-format", "outputs",
      "top",   "labels",       "softmax",   "iterations", "trace",         "compare",
      "dump",  "loop",         "steps",     "save-repro", "cast",          "precision-error"};
  if (is_test) exclude(options, options.has("test-dir") ? "test-dir" : "test", not_with_tests);
  exclude(options, "data",
          {"test", "test-dir", "input", "inputs", "input-dir", "random", "seed", "range", "expect",
           "output-dir", "output-format", "iterations", "trace", "dump", "loop", "steps",
           "save-repro"});
  if (!options.has("compare"))
    exclude(options, "data", {"rtol", "atol", "min-cosine", "same-top1"});
  check_sample_file(options);
  exclude(options, "loop",
          {"iterations", "compare", "dump", "save-repro", "expect", "top", "softmax",
           "precision-error"});
  check_tolerances(options, is_test);
  require(options, "metric", "data", "data SET");
  require(options, "detections", "data", "data SET --metric map");
  check_metric_options(options);
  require(options, "save-outputs", "data", "data SET");
  require(options, "shard", "data", "data SET");
  exclude(options, "shard", {"compare", "precision-error"});
  require(options, "output-format", "output-dir", "output-dir DIR");
  require(options, "dump", "output-dir", "output-dir DIR");
  require(options, "steps", "loop", "loop PAST=PRESENT");
  require(options, "loop", "steps", "steps N");
  if (options.text("output-dir") != "-") return;
  if (options.flag("json") || options.text("format") == "json")
    refuse_together("json", "output-dir -");
  if (options.has("dump")) refuse_together("dump", "output-dir -");
}

}  // namespace ortool
