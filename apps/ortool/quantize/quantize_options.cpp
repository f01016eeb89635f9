// Options of quantize.
#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/metric_options.hpp"
#include "apps/ortool/options/output_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"

namespace ortool {
namespace {

OptionGroup what_options() {
  return {
      "Format",
      {
          {.name = "mode",
           .value = "MODE",
           .help = "static (default with calibration data), dynamic or weight-only",
           .choices = {"static", "dynamic", "weight-only"}},
          {.name = "activation-type",
           .value = "TYPE",
           .help = "type of values between nodes: uint8 (default), int8, uint16, int16",
           .choices = {"uint8", "int8", "uint16", "int16"}},
          {.name = "weight-type",
           .value = "TYPE",
           .help = "type of weights: int8 (default), uint8, int4",
           .choices = {"int8", "uint8", "int4"}},
          {.name = "quant-format",
           .value = "FORMAT",
           .help = "qdq (default): QuantizeLinear and DequantizeLinear around float operators; "
                   "qoperator: integer operators",
           .choices = {"qdq", "qoperator"}},
          {.name = "block-size",
           .value = "N",
           .help = "weight-only: rows per scale, 0: all rows (default for int4 and qoperator: 32)",
           .range = whole_from(0, 65536)},
          {.name = "per-channel", .help = "one scale for each channel of weights (default)"},
          {.name = "per-tensor", .help = "one scale for each tensor of weights"},
          {.name = "symmetric-activations",
           .help = "symmetric ranges of activations, with the zero point in the middle"},
          {.name = "reduce-range",
           .value = "WHEN",
           .help = "7-bit weights, for processors without VNNI: auto (default), on, off",
           .choices = {"auto", "on", "off"}},
          {.name = "target-isa",
           .value = "ISA",
           .help = "target processor: host (default), portable, avx2, vnni, neon, dotprod, i8mm",
           .choices = {"host", "portable", "avx2", "vnni", "neon", "dotprod", "i8mm"}},
      }};
}

OptionGroup calibration_group() {
  return {
      "Calibration",
      {
          {.name = "calibration-data",
           .value = "SET",
           .help = "an .npz, a folder, images or a MANIFEST.json, as for run --data",
           .repeats = true,
           .completes = Completion::files},
          {.name = "allow-random-calibration",
           .help = "calibrate with 16 (--samples N) random inputs; says little about real ones"},
          seed_option(),
          range_option(),
          {.name = "dim",
           .value = "NAME=N",
           .help = "size of a dimension in random data (default: 1)",
           .repeats = true,
           .completes = Completion::dimensions},
          nchwc_block_option(),
          image_option(),
          image_config_option(),
          {.name = "validation-data",
           .value = "SET",
           .help = "compare the two models on this set (default: the calibration data)",
           .completes = Completion::files},
          labels_option(),
          {.name = "samples",
           .value = "N",
           .help = "use the first N samples (default: all); FIRST:END with --calibrate-only"},
          {.name = "calibration-cache",
           .value = "FILE",
           .help = "keep calibration statistics and resume from them; several files are merged",
           .repeats = true,
           .completes = Completion::files},
          {.name = "calibrate-only", .help = "fill the cache and write no model"},
          {.name = "errors-of",
           .value = "INT8.onnx",
           .help = "write no model: the errors of this one, quantized from MODEL, on the whole "
                   "--validation-data",
           .completes = Completion::files},
          shard_option(),
          part_out_option(),
          {.name = "calibration-method",
           .value = "METHOD",
           .help = "minmax, moving-average, percentile, entropy, mse; auto: least error for each "
                   "tensor (default: the best of them for the model)",
           .choices = {"auto", "minmax", "moving-average", "entropy", "percentile", "mse"}},
          {.name = "recipe",
           .value = "RECIPE",
           .help = "fast: round to nearest; accurate (default): weights and biases that minimize "
                   "the error of their layer; max: also balances channels and measures biases",
           .choices = {"fast", "accurate", "max"}},
          {.name = "percentile",
           .value = "P",
           .help =
               "elements inside the range, for the methods percentile and auto (default: 99.99)",
           .range = real_from(50, 100)},
      }};
}

OptionGroup choice_options() {
  return {"Which nodes",
          {
              {.name = "plan-out",
               .value = "FILE",
               .help = "write the decision for each node and tensor, to edit and pass to --plan",
               .completes = Completion::files},
              {.name = "plan",
               .value = "FILE",
               .help = "follow a plan; what it does not name is decided as usual",
               .completes = Completion::files},
              {.name = "exclude",
               .value = "GLOB",
               .help = "leave nodes with matching names in float",
               .repeats = true},
              {.name = "only",
               .value = "GLOB",
               .help = "quantize only nodes with matching names",
               .repeats = true},
              {.name = "exclude-op",
               .value = "TYPE",
               .help = "leave all nodes of an operator in float",
               .repeats = true},
          }};
}

OptionGroup search_options() {
  return {
      "Accuracy and speed",
      {
          {.name = "max-drop",
           .value = "X",
           .help = "leave as many nodes in float as it takes to lose at most this: 0.01, 1%"},
          {.name = "metric",
           .value = "METRIC",
           .help = "top1 (default), top5, map, miou, cosine, sqnr, or cmd:COMMAND, called with the "
                   "model",
           .suggestions = {"top1", "top5", "map", "miou", "cosine", "sqnr", "cmd:"}},
          detections_option(),
          {.name = "keep-faster",
           .help = "measure on this machine, and leave in float what int8 does not make faster"},
      }};
}

}  // namespace

std::vector<OptionGroup> quantize_options() {
  return {what_options(), calibration_group(), choice_options(), search_options()};
}

}  // namespace ortool
