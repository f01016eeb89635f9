// Settings of quantize, and options that cannot be combined.
#include "apps/ortool/quantize/quantize_settings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "apps/ortool/options/metric_options.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/measure/host.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_block_size = 32;
/// Smallest block size of MatMulNBits.
constexpr std::int64_t min_block_size = 16;

/// Calibration options; without data they have no effect.
constexpr std::array<std::string_view, 13> calibration_options = {"calibration-data",
                                                                  "allow-random-calibration",
                                                                  "calibration-cache",
                                                                  "calibrate-only",
                                                                  "calibration-method",
                                                                  "samples",
                                                                  "percentile",
                                                                  "activation-type",
                                                                  "symmetric-activations",
                                                                  "image",
                                                                  "image-config",
                                                                  "keep-faster",
                                                                  "recipe"};

/// The option, else the plan's setting, else `fallback`.
std::string chosen_text(const OptionValues& options, const Json& plan, std::string_view name,
                        std::string_view fallback) {
  if (options.has(name)) return options.text(name);
  const Json* setting = plan.find(name);
  if (setting == nullptr) return std::string(fallback);
  if (setting->is_text()) return setting->text();
  throw Error(ErrorCode::invalid, format("the plan's setting {} must be a string", quote(name)))
      .with_id("quantize.plan");
}

bool chosen_flag(const OptionValues& options, const Json& plan, std::string_view name) {
  const Json* setting = plan.find(name);
  if (options.has(name) || setting == nullptr) return options.flag(name);
  if (setting->is_flag()) return setting->flag();
  throw Error(ErrorCode::invalid,
              format("the plan's setting {} must be true or false", quote(name)))
      .with_id("quantize.plan");
}

/// A type that the option accepts; a plan may contain anything.
DataType chosen_type(const OptionValues& options, const Json& plan, std::string_view name,
                     std::string_view fallback) {
  const std::string text = chosen_text(options, plan, name, fallback);
  const std::vector<OptionGroup> groups = quantize_options();
  const std::vector<std::string_view>& choices = find_option(groups, name)->choices;
  if (std::find(choices.begin(), choices.end(), text) == choices.end())
    throw unknown_name(name, text, "types",
                       std::vector<std::string>(choices.begin(), choices.end()));
  return *data_type_from_name(text);
}

QuantizeMode read_mode(const OptionValues& options, const Json& plan) {
  const bool has_data = options.has("calibration-data") || options.has("calibration-cache") ||
                        options.flag("allow-random-calibration");
  const std::string mode = chosen_text(options, plan, "mode", has_data ? "static" : "");
  if (mode == "dynamic") return QuantizeMode::dynamically;
  if (mode == "weight-only") return QuantizeMode::weights_only;
  if (mode != "static" && !mode.empty())
    throw unknown_name("mode", mode, "modes",
                       std::vector<std::string>{"static", "dynamic", "weight-only"});
  if (!has_data && !options.has("plan")) {
    throw Error(ErrorCode::invalid, "there is no calibration data",
                "add --calibration-data SET, or use --mode dynamic or weight-only, which need none")
        .with_id("usage.calibration_data");
  }
  return QuantizeMode::statically;
}

/// The default recipe, and what a recipe needs.
std::string read_recipe(const OptionValues& options, const Json& plan, QuantizeMode mode) {
  const bool is_fitted = mode == QuantizeMode::statically && options.has("calibration-data");
  const std::string recipe = chosen_text(options, plan, "recipe", is_fitted ? "accurate" : "fast");
  if (recipe != "fast" && recipe != "accurate" && recipe != "max")
    throw unknown_name("recipe", recipe, "recipes",
                       std::vector<std::string>{"fast", "accurate", "max"});
  if (recipe != "fast" && !is_fitted && mode == QuantizeMode::statically) {
    throw Error(ErrorCode::invalid,
                format("the recipe {} needs calibration data to fit weights", recipe),
                "add --calibration-data SET, or --recipe fast")
        .with_id("usage.calibration_data");
  }
  return recipe;
}

/// The cache is the part of a shard.
void check_shard(const OptionValues& options) {
  if (!options.has("shard")) return;
  if (options.all("calibration-cache").size() > 1) {
    throw Error(ErrorCode::invalid, "--shard takes one --calibration-cache, which is its part",
                "`ortool merge` joins several")
        .with_id("usage.calibration_data");
  }
  if (options.text("calibration-method") != "moving-average") return;
  throw applies_to_nothing("option --shard: moving averages depend on the order of all samples",
                           "choose another --calibration-method, or leave --shard out");
}

void check_calibrate_only(const OptionValues& options) {
  check_shard(options);
  if (!options.flag("calibrate-only")) {
    refuse_any(options, {"shard"}, "without --calibrate-only and --errors-of",
               "shards calibrate, or compare with a quantized model; one process quantizes");
    if (options.text("samples").find(':') == std::string::npos) return;
    throw applies_to_nothing("option --samples: a range of samples is only for --calibrate-only",
                             "give the number of samples to take");
  }
  const bool has_data = options.has("calibration-data") || options.flag("allow-random-calibration");
  if (!has_data || !options.has("calibration-cache")) {
    throw Error(ErrorCode::invalid,
                "--calibrate-only needs data and a file to keep its statistics in",
                "add --calibration-data SET and --calibration-cache FILE")
        .with_id("usage.calibration_data");
  }
  // About the model that is made from the ranges.
  refuse_any(options, {"part-out"}, "with --calibrate-only",
             "the file of --calibration-cache is the shard's part");
  refuse_any(options,
             {"output", "force", "external-data", "external-threshold", "packed", "plan-out",
              "max-drop", "metric", "labels", "detections", "keep-faster", "validation-data"},
             "with --calibrate-only", "give it when the model is made from the cache");
}

/// The same samples twice would only have more weight.
void check_sets(const OptionValues& options) {
  const std::span<const std::string> sets = options.all("calibration-data");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto before = sets.first(i);
    const bool is_again = std::any_of(before.begin(), before.end(), [&](const std::string& other) {
      std::error_code ignored;
      return other == sets[i] || std::filesystem::equivalent(other, sets[i], ignored);
    });
    if (!is_again) continue;
    throw applies_to_nothing(format("option --calibration-data: {} is given twice", quote(sets[i])),
                             "leave one of them out");
  }
}

/// Random data replaces data and is never combined with it.
void check_random_data(const OptionValues& options) {
  if (!options.flag("allow-random-calibration")) {
    for (const std::string_view name : {"seed", "range", "dim"}) {
      if (!options.has(name)) continue;
      throw applies_to_nothing(
          format("option --{} has no effect: no random calibration data is used", name),
          "it is for --allow-random-calibration");
    }
    return;
  }
  if (options.has("calibration-data"))
    throw applies_to_nothing(
        "--allow-random-calibration and --calibration-data contradict each other",
        "leave --allow-random-calibration out: there is real data");
  if (options.has("validation-data")) return;
  refuse_any(options, {"image", "image-config"}, "with --allow-random-calibration",
             "random inputs are not images");
}

/// Options without effect on ranges.
void check_percentile(const OptionValues& options) {
  const std::string method = options.text("calibration-method");
  const bool is_used = method.empty() || method == "percentile" || method == "auto";
  if (!options.has("percentile") || is_used || options.has("plan")) return;
  throw applies_to_nothing(
      format("option --percentile has no effect with --calibration-method {}", method),
      "it is for the methods percentile and auto");
}

/// Quantized weights that are dequantized before use never appear in an integer sum.
void check_reduced_weights(const OptionValues& options) {
  refuse_any(options, {"reduce-range", "target-isa"}, "with --mode weight-only",
             "its products are computed in float, which does not saturate");
}

/// Class names when labels are not used.
void check_labels(const OptionValues& options) {
  const std::string metric = options.text("metric", options.has("max-drop") ? "top1" : "");
  check_metric_options(options);
  if (!options.has("labels") || metric == "top1" || metric == "top5" || metric == "map" ||
      metric == "miou")
    return;
  throw applies_to_nothing(
      "option --labels only has an effect with --metric top1, top5, map and miou",
      "add --metric top1");
}

void refuse_unused(const OptionValues& options, QuantizeMode mode) {
  if (options.flag("per-channel") && options.flag("per-tensor"))
    throw applies_to_nothing("--per-channel and --per-tensor contradict each other", "choose one");
  check_sets(options);
  check_random_data(options);
  check_percentile(options);
  check_labels(options);
  if (mode == QuantizeMode::weights_only) check_reduced_weights(options);
  if (mode == QuantizeMode::statically) return;
  const bool is_dynamic = mode == QuantizeMode::dynamically;
  if (options.flag("keep-faster") && is_dynamic && !options.has("validation-data")) {
    throw Error(ErrorCode::invalid, "there is no sample for --keep-faster to measure with",
                "add --validation-data SET: its first sample is used")
        .with_id("usage.calibration_data");
  }
  for (const std::string_view name : calibration_options) {
    const bool is_of_images = name == "image" || name == "image-config";
    const bool is_used =
        is_of_images ? options.has("validation-data") : is_dynamic && name == "keep-faster";
    if (!options.has(name) || is_used) continue;
    throw no_effect(name, format("with --mode {}", name_of(mode)),
                    "only --mode static uses calibration");
  }
}

/// MatMulNBits requires a power of two as block size.
void check_block_format(const QuantizeSettings& settings) {
  const std::int64_t size = settings.block_size;
  if (size >= min_block_size && (size & (size - 1)) == 0) return;
  throw applies_to_nothing(
      format("option --block-size: {} is not a block size of --quant-format qoperator", size),
      "it takes powers of two from 16 up");
}

void check_qoperator_format(const QuantizeSettings& settings) {
  if (settings.mode == QuantizeMode::weights_only) return check_block_format(settings);
  if (settings.mode == QuantizeMode::dynamically)
    throw applies_to_nothing("option --quant-format qoperator has no effect with --mode dynamic",
                             "its products are integer operators already");
  for (const DataType type : {settings.activations.type, settings.weights.type}) {
    if (type == DataType::int8 || type == DataType::uint8) continue;
    throw applies_to_nothing(
        format("ONNX has no operators for {}, which --quant-format qoperator would need",
               name_of(type)),
        "leave --format out: the QDQ format takes every type");
  }
}

/// Whether the target processors add pairs of int8 products in 16 bits. The host may be
/// limited to a smaller instruction set.
bool saturates(const OptionValues& options) {
  const std::string target = options.text("target-isa", "host");
  if (target != "host") return target == "portable" || target == "avx2";
  const std::string level = isa_names().back();
  std::vector<std::string> isa = read_fingerprint(1).isa;
  if (level == "baseline" || level == "avx2")
    std::erase_if(isa, [](const std::string& name) { return name.ends_with("_vnni"); });
  return adds_bytes_in_pairs(isa);
}

}  // namespace

QuantizeSettings read_quantize_settings(const Invocation& invocation, const Json& plan) {
  const OptionValues& options = invocation.options;
  QuantizeSettings settings;
  settings.mode = read_mode(options, plan);
  refuse_unused(options, settings.mode);
  check_calibrate_only(options);
  settings.budget = read_budget(options);
  settings.keeps_faster = options.flag("keep-faster");
  settings.follows_plan = options.has("plan");
  settings.has_chosen_method = options.has("calibration-method");
  settings.has_random_data = options.flag("allow-random-calibration");
  settings.method.method = *method_from_name(options.text("calibration-method", "mse"));
  settings.recipe = read_recipe(options, plan, settings.mode);
  settings.method.percentile = options.number("percentile", 99.99);
  settings.activations.type = chosen_type(options, plan, "activation-type", "uint8");
  settings.activations.is_symmetric = chosen_flag(options, plan, "symmetric-activations");
  settings.weights.type = chosen_type(options, plan, "weight-type", "int8");
  settings.is_per_channel =
      options.flag("per-channel") || !chosen_flag(options, plan, "per-tensor");
  const bool is_small = settings.weights.type == DataType::int4;
  if (is_small && settings.mode == QuantizeMode::dynamically)
    throw applies_to_nothing("option --weight-type int4 has no effect with --mode dynamic",
                             "integer products need 8-bit weights; use --mode weight-only");
  settings.has_integer_operators = options.text("quant-format") == "qoperator";
  const bool has_blocks = is_small || settings.has_integer_operators;
  settings.block_size = options.integer("block-size", has_blocks ? default_block_size : 0);
  if (options.has("block-size") && settings.mode != QuantizeMode::weights_only)
    throw applies_to_nothing("option --block-size only has an effect with --mode weight-only",
                             "leave it out");
  const std::string reduce = chosen_text(options, plan, "reduce-range", "auto");
  const bool has_bytes = element_bits(settings.weights.type) == 8;
  if (reduce == "on" && !has_bytes)
    throw applies_to_nothing(format("option --reduce-range on has no effect on weights of {}",
                                    name_of(settings.weights.type)),
                             "only 8-bit weights can be reduced to 7 bits");
  settings.weights.is_reduced = has_bytes && settings.mode != QuantizeMode::weights_only &&
                                (reduce == "on" || (reduce == "auto" && saturates(options)));
  if (saturates(options) && reduce == "off") {
    invocation.warn(
        "on processors without VNNI other runtimes may saturate sums of full-range 8-bit products, "
        "so results can differ there (--reduce-range auto)");
  }
  if (settings.has_integer_operators) check_qoperator_format(settings);
  if (!options.has("output") && !options.flag("calibrate-only")) {
    throw Error(ErrorCode::invalid, "the output file is missing", "add -o OUT.onnx")
        .with_id("usage.output");
  }
  return settings;
}

}  // namespace ortool
