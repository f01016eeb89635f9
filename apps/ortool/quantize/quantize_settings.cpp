// One table of options, and one place that reads them.
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

OptionGroup what_options() {
  return {"What to make",
          {
              {.name = "mode",
               .value = "MODE",
               .help = "static (default with calibration data), dynamic or weight-only",
               .choices = {"static", "dynamic", "weight-only"}},
              {.name = "activation-type",
               .value = "TYPE",
               .help = "of values between nodes (default: uint8)",
               .choices = {"uint8", "int8", "uint16", "int16"}},
              {.name = "weight-type",
               .value = "TYPE",
               .help = "of weights (default: int8)",
               .choices = {"int8", "uint8", "int4"}},
              {.name = "block-size",
               .value = "N",
               .help = "of weight-only matrices: a scale for so many rows (default for int4: 32)"},
              {.name = "per-channel", .help = "a scale for each channel of weights (default)"},
              {.name = "per-tensor", .help = "one scale for each tensor of weights"},
              {.name = "symmetric-activations", .help = "zero in the middle of the levels"},
              {.name = "reduce-range",
               .value = "WHEN",
               .help = "weights of 7 bits, for processors without VNNI (default: auto)",
               .choices = {"auto", "on", "off"}},
              {.name = "target-isa",
               .value = "ISA",
               .help = "where the model shall run (default: host)",
               .choices = {"host", "portable", "avx2", "vnni", "neon", "dotprod", "i8mm"}},
          }};
}

OptionGroup calibration_group() {
  return {
      "Calibration",
      {
          {.name = "calibration-data",
           .value = "SET",
           .help = "an .npz, a folder, pictures or a MANIFEST.json, as run --data takes",
           .repeats = true,
           .completes = Completes::files},
          {.name = "image",
           .value = "NAME=RECIPE",
           .help = "how a picture becomes the input: resize:256,crop:224,scale:1/255",
           .repeats = true},
          {.name = "image-config",
           .value = "FILE",
           .help = "the same from a JSON file: {NAME: {resize: 256, crop: 224}}",
           .completes = Completes::files},
          {.name = "validation-data",
           .value = "SET",
           .help = "compare the two models on this set (default: the calibration data)",
           .completes = Completes::files},
          {.name = "samples", .value = "N", .help = "take the first N samples (default: all)"},
          {.name = "calibration-method",
           .value = "METHOD",
           .help = "how ranges are chosen (default: mse); auto: the method of least error a tensor",
           .choices = {"auto", "minmax", "moving-average", "entropy", "percentile", "mse"}},
          {.name = "recipe",
           .value = "RECIPE",
           .help = "fast: nearest levels; accurate (default): weights and biases by their "
                   "layer's error",
           .choices = {"fast", "accurate", "max"}},
          {.name = "percentile",
           .value = "P",
           .help = "of elements inside the range, method percentile (default: 99.99)"},
      }};
}

OptionGroup choice_options() {
  return {"Which nodes",
          {
              {.name = "exclude",
               .value = "GLOB",
               .help = "leave nodes of such names as they are",
               .repeats = true},
              {.name = "only",
               .value = "GLOB",
               .help = "quantise no nodes but those of such names",
               .repeats = true},
              {.name = "exclude-op",
               .value = "TYPE",
               .help = "leave all nodes of an operator as they are",
               .repeats = true},
          }};
}

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

std::vector<OptionGroup> quantize_options() {
  return {what_options(), calibration_group(), choice_options()};
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
