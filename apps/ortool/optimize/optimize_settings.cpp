// Settings of optimize, checked before anything is loaded.
#include "apps/ortool/optimize/optimize_settings.hpp"

#include <algorithm>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/judge_options.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name_of_many.hpp"

namespace ortool {
namespace {

constexpr int default_runs = 3;

std::vector<std::string> read_passes(const OptionValues& options, std::string_view option,
                                     std::span<const PassDescription> known) {
  std::vector<std::string> names;
  for (const PassDescription& pass : known) names.emplace_back(pass.name);
  std::vector<std::string> wanted;
  for (const std::string& text : options.all(option)) {
    for (std::string& name : split(text, ',')) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw unknown_name_of_many(format("pass in --{}", option), name, names, list_passes_hint);
      wanted.push_back(std::move(name));
    }
  }
  return wanted;
}

Target read_target(const OptionValues& options) {
  const std::string name = options.text("target");
  if (name.empty()) return Target::any;
  if (name == "onnx") return Target::onnx;
  return name == "onnxruntime" ? Target::onnxruntime : Target::ortool;
}

OptimizeLevel read_level(const OptionValues& options) {
  const Target target = read_target(options);
  const bool is_portable = target == Target::any || target == Target::onnx;
  const std::string text = options.text("level", is_portable ? "extended" : "all");
  return optimize_level(text);
}

/// What nodes are to compute in.
DataType read_float_type(const OptionValues& options) {
  const std::string precision = options.text("precision", options.flag("fp16") ? "float16" : "");
  if (options.flag("fp16") && precision != "float16")
    throw no_effect("fp16", format("with --precision {}", precision), "leave one of them out");
  if (precision == "bfloat16") return DataType::bfloat16;
  return precision == "float16" ? DataType::float16 : DataType::float32;
}

/// A pass that would not run anyway cannot be skipped.
void check_skipped(const OptimizeSettings& settings, std::span<const PassDescription> known) {
  for (const std::string& name : settings.skipped) {
    const auto pass = std::find_if(known.begin(), known.end(),
                                   [&](const PassDescription& each) { return each.name == name; });
    if (!settings.passes.empty()) {
      const bool is_named =
          std::find(settings.passes.begin(), settings.passes.end(), name) != settings.passes.end();
      throw applies_to_nothing(format("option --skip-pass: {} is {} --passes", quote(name),
                                      is_named ? "excluded by" : "not listed in"),
                               "--passes lists all passes that run");
    }
    if (!pass->is_on_request && pass->level <= settings.level) continue;
    throw applies_to_nothing(format("option --skip-pass: {} does not run with --level {}",
                                    quote(name), name_of(settings.level)),
                             "'ortool optimize --list-passes' shows the level of each");
  }
}

/// Options of the output file when none is written.
void check_written(const OptionValues& options) {
  if (!options.has("output") && !options.flag("dry-run")) {
    throw Error(ErrorCode::invalid, "the output file is missing",
                "add -o OUT.onnx, or --dry-run to see what would be done")
        .with_id("usage.output");
  }
  if (!options.flag("dry-run")) return;
  refuse_any(options, {"output", "force", "external-data", "external-threshold", "packed"},
             "with --dry-run", "leave one of them out");
}

/// Help of --rtol and --atol, whose usual help is about expected outputs.
std::vector<OptionSpec> stage_tolerance_options() {
  std::vector<OptionSpec> options = tolerance_options();
  options[0].help = "relative tolerance (float32: 1e-4; after basic passes only: bit-exact)";
  options[1].help = "absolute tolerance, or A*max of the original output (float32: 1e-5*max)";
  return options;
}

}  // namespace

std::vector<OptionGroup> optimize_options() {
  const OptionGroup rewriting = {
      "Rewriting",
      {
          {.name = "level",
           .value = "LEVEL",
           .help = "none; basic: bit-exact; extended (default): within a few ulp; all",
           .choices = {"none", "basic", "extended", "all"}},
          {.name = "target",
           .value = "WHO",
           .help = "onnx: no fused operators; onnxruntime: its own; ortool, or the provider cpu, "
                   "onednn or cuda: ours",
           .choices = {"onnx", "onnxruntime", "ortool", "cpu", "onednn", "cuda"}},
          {.name = "passes",
           .value = "A,B",
           .help = "only these passes, in the pipeline's order",
           .repeats = true,
           .is_list = true,
           .completes = Completion::passes},
          {.name = "skip-pass",
           .value = "PASS",
           .help = "skip this pass or rule",
           .repeats = true,
           .is_list = true,
           .completes = Completion::passes},
          {.name = "rules",
           .value = "FILE",
           .help = "your own rules, as graphs before and after; checked before they are used",
           .completes = Completion::files},
          {.name = "list-passes", .help = "list the passes; no MODEL is needed"},
          {.name = "opset",
           .value = "N",
           .help = "convert to this opset, newer or older; passes may then use its operators",
           .range = whole_from(1, 1e6)},
          {.name = "keep-overridable",
           .help = "inputs with a default value stay inputs, which a run can override"},
          {.name = "precision",
           .value = "TYPE",
           .help = "what nodes of the written model compute in: float32 (default), float16, which "
                   "is --fp16, or bfloat16",
           .choices = {"float32", "float16", "bfloat16"}},
          {.name = "fp16", .help = "compute in float16, except what would overflow on the inputs"},
          {.name = "keep-float",
           .value = "GLOB",
           .help = "nodes with these names stay in float32 (with --precision or --fp16)",
           .repeats = true},
          {.name = "extract-input",
           .value = "VALUE",
           .help = "write only the part of the model after this value",
           .repeats = true},
          {.name = "extract-output",
           .value = "VALUE",
           .help = "write only the part that computes this value",
           .repeats = true},
          {.name = "embed-preprocessing",
           .value = "NAME=RECIPE",
           .help = "the input takes uint8 images: resize:256,crop:224,scale:1/255,mean:0.5",
           .repeats = true,
           .completes = Completion::inputs},
          {.name = "explain",
           .help = "report near misses: where a pass almost applied, and why it did not"},
          {.name = "dry-run", .help = "write nothing"},
      }};
  OptionGroup verifying = {
      "Verification (exit 1 and nothing written when outputs differ)",
      {
          {.name = "verify",
           .value = "N",
           .help =
               "compare the outputs before and after on N inputs (default: 3); 0: do not compare",
           .range = whole_from(0, 1e6)},
          {.name = "save-repro",
           .value = "DIR",
           .help = "where outputs differ: save the smallest part that does, to reproduce it",
           .completes = Completion::folders},
          threads_option(),
      }};
  for (const OptionSpec& option : stage_tolerance_options()) verifying.options.push_back(option);
  return {rewriting, verifying};
}

OptimizeSettings read_optimize_settings(const OptionValues& options,
                                        std::span<const PassDescription> known) {
  OptimizeSettings settings;
  settings.level = read_level(options);
  settings.passes = read_passes(options, "passes", known);
  settings.skipped = read_passes(options, "skip-pass", known);
  settings.explains = options.flag("explain");
  settings.target = read_target(options);
  if (options.has("passes") && settings.passes.empty())
    throw applies_to_nothing("option --passes names no pass", "--level none rewrites nothing");
  settings.opset = options.integer("opset", 0);
  settings.freezes_defaults = !options.flag("keep-overridable") &&
                              settings.level != OptimizeLevel::none && settings.passes.empty();
  settings.float_type = read_float_type(options);
  for (const std::string& glob : options.all("keep-float")) settings.kept_globs.push_back(glob);
  if (!settings.kept_globs.empty() && !settings.has_16_bits()) {
    throw no_effect("keep-float", "where everything is in float32",
                    "add --precision float16, or bfloat16");
  }
  settings.must_verify = options.has("verify");
  const int usual = options.flag("dry-run") ? 0 : default_runs;
  settings.runs = static_cast<int>(options.integer("verify", usual));
  if (options.has("passes") && options.has("level"))
    throw no_effect("level", "with --passes", "--passes lists all passes that run");
  check_skipped(settings, known);
  check_written(options);
  // Reported now, not after the model is rewritten.
  static_cast<void>(read_judge_options(options));
  if (settings.runs > 0 || settings.has_16_bits()) return settings;
  refuse_any(options,
             {"save-repro", "rtol", "atol", "input", "inputs", "input-dir", "random", "seed",
              "range", "image", "image-config", "dtype", "threads"},
             "where nothing is verified", "add --verify N");
  return settings;
}

}  // namespace ortool
