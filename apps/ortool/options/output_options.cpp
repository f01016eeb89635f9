// Output options of run.
#include "apps/ortool/options/output_options.hpp"

namespace ortool {

OptionGroup output_options() {
  return {"Outputs",
          {
              {.name = "outputs",
               .value = "A,B",
               .help = "only these outputs, or values between the nodes; all: every value",
               .completes = Completion::outputs},
              {.name = "top",
               .value = "K",
               .help = "the K highest scores (with --labels: 5)",
               .range = whole_from(1, 1e5)},
              {.name = "softmax",
               .help = "with --top or --labels: probabilities, by softmax over each row of scores"},
              labels_option(),
              {.name = "output-dir",
               .value = "DIR",
               .help = "write them to files output_N, by position; - is standard output",
               .completes = Completion::folders},
              {.name = "output-format",
               .value = "FORMAT",
               .help = "npy (default), npz, pb or json",
               .choices = {"npy", "npz", "pb", "json"}},
          }};
}

OptionSpec labels_option() {
  return {.name = "labels",
          .value = "FILE",
          .help = "names of the classes, one per line; boxes or masks of a --metric",
          .completes = Completion::files};
}

OptionSpec iterations_option() {
  return {.name = "iterations",
          .value = "N",
          .help = "run N times and report the median time",
          .range = whole_from(1, 1e9)};
}

}  // namespace ortool
