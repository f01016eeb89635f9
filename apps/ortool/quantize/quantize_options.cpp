// The table of the command's own options.
#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"

namespace ortool {
namespace {

OptionGroup what_options() {
  return {
      "What to make",
      {
          {.name = "mode",
           .value = "MODE",
           .help = "static (default with calibration data), dynamic or weight-only",
           .choices = {"static", "dynamic", "weight-only"}},
          {.name = "activation-type",
           .value = "TYPE",
           .help = "of values between nodes: uint8 (default), int8, uint16, int16",
           .choices = {"uint8", "int8", "uint16", "int16"}},
          {.name = "weight-type",
           .value = "TYPE",
           .help = "of weights: int8 (default), uint8, int4",
           .choices = {"int8", "uint8", "int4"}},
          {.name = "block-size",
           .value = "N",
           .help =
               "of weight-only matrices: a scale for so many rows, 0: for all (default for int4 "
               "and qoperator: 32)"},
          {.name = "per-channel", .help = "a scale for each channel of weights (default)"},
          {.name = "per-tensor", .help = "one scale for each tensor of weights"},
          {.name = "symmetric-activations", .help = "zero in the middle of the levels"},
          {.name = "reduce-range",
           .value = "WHEN",
           .help = "weights of 7 bits, for processors without VNNI: auto (default), on, off",
           .choices = {"auto", "on", "off"}},
          {.name = "target-isa",
           .value = "ISA",
           .help = "where it shall run: host (default), portable, avx2, vnni, neon, dotprod, i8mm",
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
          {.name = "allow-random-calibration",
           .help = "calibrate with 16 (--samples N) made-up inputs; says little of real ones"},
          {.name = "seed", .value = "S", .help = "of made-up data (default: 0)"},
          {.name = "range",
           .value = "NAME=LO:HI",
           .help = "range of made-up data",
           .repeats = true},
          {.name = "dim",
           .value = "NAME=N",
           .help = "size of a dimension in made-up data (default: 1)",
           .repeats = true},
          image_option(),
          image_config_option(),
          {.name = "validation-data",
           .value = "SET",
           .help = "compare the two models on this set (default: the calibration data)",
           .completes = Completes::files},
          {.name = "labels",
           .value = "FILE",
           .help = "the classes' names, one a line, for --metric on labels that are texts",
           .completes = Completes::files},
          {.name = "samples",
           .value = "N",
           .help = "take the first N samples (default: all); FIRST:BEHIND with --calibrate-only"},
          {.name = "calibration-cache",
           .value = "FILE",
           .help = "keep what calibration sees, go on where it stopped; several are put together",
           .repeats = true,
           .completes = Completes::files},
          {.name = "calibrate-only", .help = "fill the cache and write no model"},
          {.name = "calibration-method",
           .value = "METHOD",
           .help = "minmax, moving-average, percentile, entropy, mse; auto: by error a tensor "
                   "(default: what suits best)",
           .choices = {"auto", "minmax", "moving-average", "entropy", "percentile", "mse"}},
          {.name = "recipe",
           .value = "RECIPE",
           .help = "fast: nearest levels; accurate (default): weights and biases by their "
                   "layer's error; max: channels balanced and biases measured as well",
           .choices = {"fast", "accurate", "max"}},
          {.name = "percentile",
           .value = "P",
           .help = "of elements inside the range, methods percentile and auto (default: 99.99)"},
      }};
}

OptionGroup choice_options() {
  return {"Which nodes",
          {
              {.name = "plan-out",
               .value = "FILE",
               .help = "write what becomes of each node and tensor, to change and give back",
               .completes = Completes::files},
              {.name = "plan",
               .value = "FILE",
               .help = "do what the plan says; what it does not name is decided as ever",
               .completes = Completes::files},
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

OptionGroup steering_options() {
  return {"What it may cost",
          {
              {.name = "max-drop",
               .value = "X",
               .help = "leave as many nodes in float as it takes to lose no more: 0.01, 1%"},
              {.name = "metric",
               .value = "METRIC",
               .help = "top1 (default), top5, cosine, sqnr, or cmd:COMMAND, called with the model"},
              {.name = "keep-faster",
               .help = "measure here, and leave in float what int8 does not make faster"},
          }};
}

}  // namespace

std::vector<OptionGroup> quantize_options() {
  return {what_options(), calibration_group(), choice_options(), steering_options()};
}

}  // namespace ortool
