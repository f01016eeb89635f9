// Comparison options: parses tolerances.
#include "apps/ortool/options/judge_options.hpp"

#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

std::vector<OptionSpec> tolerance_options() {
  return {{.name = "rtol",
           .value = "R",
           .help = "relative tolerance (float32: 1e-3)",
           .range = real_from(0, std::numeric_limits<double>::max())},
          {.name = "atol",
           .value = "A",
           .help = "absolute tolerance, or A*max of the expected output (float32: 1e-4*max)"}};
}

OptionGroup judge_options() {
  return {"Comparing",
          {
              {.name = "expect",
               .value = "DIR|FILE.npz",
               .help = "compare with output_N of a folder, or an .npz; exit 1 if different",
               .completes = Completion::files},
              tolerance_options()[0],
              tolerance_options()[1],
              {.name = "min-cosine",
               .value = "C",
               .help = "minimum cosine similarity",
               .range = real_from(-1, 1)},
              {.name = "same-top1", .help = "require the largest score at the same index"},
          }};
}

JudgeOptions read_judge_options(const OptionValues& options) {
  JudgeOptions result;
  result.is_same_top1 = options.flag("same-top1");
  if (options.has("rtol")) result.rtol = options.number("rtol", 0);
  if (options.has("min-cosine")) result.min_cosine = options.number("min-cosine", 0);
  if (!options.has("atol")) return result;
  const std::string text = options.text("atol");
  std::string_view number = text;
  if (number.ends_with("*max")) {
    number.remove_suffix(4);
    result.atol_of_max = true;
  }
  double value = 0;
  if (!read_number(number, value) || !(value >= 0) || !std::isfinite(value)) {
    throw Error(ErrorCode::invalid, format("option --atol: {} is not a tolerance", quote(text)),
                "give a number such as 1e-5, or 1e-4*max")
        .with_id("usage.value");
  }
  result.atol = value;
  return result;
}

}  // namespace ortool
