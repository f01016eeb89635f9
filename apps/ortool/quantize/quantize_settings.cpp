// What the options say together, and what of it does not go together.
#include "apps/ortool/quantize/quantize_settings.hpp"

#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_block_size = 32;
constexpr std::int64_t most_block_size = 65536;

/// Options that say how to calibrate; without data they have no effect.
constexpr std::array<std::string_view, 9> calibration_options = {"calibration-data",
                                                                 "calibration-method",
                                                                 "samples",
                                                                 "percentile",
                                                                 "activation-type",
                                                                 "symmetric-activations",
                                                                 "image",
                                                                 "image-config",
                                                                 "recipe"};

Error does_not_fit(std::string message, std::string hint) {
  Error error(ErrorCode::invalid, std::move(message), std::move(hint));
  error.with_id("usage.applies_to_nothing");
  return error;
}

QuantizeMode read_mode(const OptionValues& options) {
  const bool has_data = options.has("calibration-data");
  const std::string mode = options.text("mode", has_data ? "static" : "");
  if (mode == "dynamic") return QuantizeMode::dynamically;
  if (mode == "weight-only") return QuantizeMode::weights_only;
  if (!has_data) {
    throw Error(ErrorCode::invalid, "there is no data to calibrate with",
                "add --calibration-data SET, or --mode dynamic or weight-only, which need none")
        .with_id("usage.calibration_data");
  }
  return QuantizeMode::statically;
}

void refuse_unused(const OptionValues& options, QuantizeMode mode) {
  if (options.flag("per-channel") && options.flag("per-tensor"))
    throw does_not_fit("--per-channel and --per-tensor contradict each other", "choose one");
  if (mode == QuantizeMode::statically) return;
  for (const std::string_view name : calibration_options) {
    if (!options.has(name)) continue;
    throw does_not_fit(format("option --{} has no effect with --mode {}", name, name_of(mode)),
                       "only --mode static is calibrated");
  }
}

/// Whether the processors that the model shall run on add pairs of byte products in 16 bits.
bool saturates(const OptionValues& options) {
  const std::string target = options.text("target-isa", "host");
  return target == "portable" || target == "avx2";
}

}  // namespace

std::string_view name_of(QuantizeMode mode) {
  switch (mode) {
    case QuantizeMode::statically:
      return "static";
    case QuantizeMode::dynamically:
      return "dynamic";
    case QuantizeMode::weights_only:
      return "weight-only";
  }
  return {};
}

QuantizeSettings read_quantize_settings(const Invocation& invocation) {
  const OptionValues& options = invocation.options;
  QuantizeSettings settings;
  settings.mode = read_mode(options);
  refuse_unused(options, settings.mode);
  settings.method.method = *method_from_name(options.text("calibration-method", "mse"));
  settings.recipe =
      options.text("recipe", settings.mode == QuantizeMode::statically ? "accurate" : "fast");
  if (settings.recipe == "max") {
    throw Error(ErrorCode::unsupported, "the recipe max does not exist in this version",
                "take --recipe accurate, the default")
        .with_id("quantize.recipe");
  }
  settings.method.percentile = options.number("percentile", 99.99, 50, 100);
  settings.activations.type = *data_type_from_name(options.text("activation-type", "uint8"));
  settings.activations.is_symmetric = options.flag("symmetric-activations");
  settings.weights.type = *data_type_from_name(options.text("weight-type", "int8"));
  settings.is_per_channel = !options.flag("per-tensor");
  const bool is_small = settings.weights.type == DataType::int4;
  if (is_small && settings.mode == QuantizeMode::dynamically)
    throw does_not_fit("option --weight-type int4 has no effect with --mode dynamic",
                       "products of levels need bytes; use --mode weight-only");
  settings.block_size =
      options.integer("block-size", is_small ? default_block_size : 0, 0, most_block_size);
  if (options.has("block-size") && settings.mode != QuantizeMode::weights_only)
    throw does_not_fit("option --block-size has an effect with --mode weight-only alone",
                       "leave it out");
  const std::string reduce = options.text("reduce-range", "auto");
  settings.weights.is_reduced = reduce == "on" || (reduce == "auto" && saturates(options));
  if (saturates(options) && reduce == "off") {
    invocation.warn(
        "processors without VNNI may saturate sums of full-range bytes in other runtimes: results "
        "can differ there (--reduce-range auto)");
  }
  if (options.text("format") == "qoperator") {
    throw Error(ErrorCode::unsupported, "the form QOperator is not written by this version",
                "leave --format out: QDQ is what runtimes read today")
        .with_id("quantize.format");
  }
  if (!options.has("output")) {
    throw Error(ErrorCode::invalid, "there is no place to write the model to", "add -o OUT.onnx")
        .with_id("usage.output");
  }
  return settings;
}

}  // namespace ortool
