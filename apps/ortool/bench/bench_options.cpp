// The options of bench, in groups; those of other commands take lists here.
#include "apps/ortool/bench/bench_settings.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"

namespace ortool {
namespace {

void change(OptionGroup& group, std::string_view name, std::string_view value,
            std::string_view help) {
  for (OptionSpec& option : group.options) {
    if (option.name != name) continue;
    option.value = value;
    option.help = help;
    option.repeats = true;
  }
}

OptionGroup length_options() {
  return {"How long",
          {
              {.name = "warmup",
               .value = "N",
               .help = "runs before measuring (default: auto, until times stop changing)"},
              {.name = "iterations", .value = "N", .help = "measure so many runs"},
              {.name = "duration", .value = "TIME", .help = "measure each variant so long: 5s"},
              {.name = "precision-target",
               .value = "SHARE",
               .help = "how well to know the median (default: 1%); exit 3 if not"},
          }};
}

OptionGroup load_options() {
  return {"Load",
          {
              {.name = "concurrency", .value = "N", .help = "callers at the same time"},
              {.name = "rate", .value = "QPS", .help = "requests come so often, whatever is done"},
              {.name = "distribution",
               .value = "HOW",
               .help = "of their arrivals: poisson (default), constant",
               .choices = {"poisson", "constant"}},
              {.name = "find-rate",
               .value = "pN=TIME",
               .help = "the highest rate that keeps the bound: p99=20ms"},
          }};
}

OptionGroup gate_options() {
  return {"Comparing (exit 1 for a regression)",
          {
              {.name = "reference",
               .value = "MODEL",
               .help = "measure this beside, and compare each variant with it",
               .completes = Completes::files},
              {.name = "baseline",
               .value = "FILE|DIR",
               .help = "compare with an earlier report, or with this machine's in a folder",
               .completes = Completes::files},
              {.name = "max-regression",
               .value = "SHARE",
               .help = "how much slower is a regression (default: 5%); cpu=5%,cuda=3%"},
              {.name = "max-latency", .value = "pN=TIME", .help = "a bound to keep: p95=12ms"},
              {.name = "max-rss", .value = "SIZE", .help = "the most memory of the process"},
          }};
}

OptionGroup how_options() {
  return {"What to measure",
          {
              {.name = "percentiles", .value = "P,P", .help = "default: 50,90,95,99"},
              {.name = "isolate", .help = "each variant in a process of its own"},
              {.name = "skip-unavailable", .help = "leave out providers that are not there"},
              {.name = "profile",
               .help = "where the time goes, node by node, and what bounds it; writes a trace"},
              {.name = "trace",
               .value = "FILE",
               .help = "where to (default: ortool-trace.json)",
               .completes = Completes::files},
              {.name = "raw", .help = "every sample in JSON"},
              {.name = "html",
               .value = "FILE",
               .help = "write one page with plots",
               .completes = Completes::files},
              {.name = "tune",
               .value = "CONFIG.json",
               .help = "find the fastest settings and write them for --config",
               .completes = Completes::files},
              {.name = "stepped",
               .help = "load, then answer lines `run N` on stdin with one JSON line each"},
          }};
}

}  // namespace

std::vector<OptionGroup> bench_options() {
  OptionGroup providers = provider_options();
  change(providers, "provider", "NAMES", "one variant each time it is given (default: auto)");
  OptionGroup execution = execution_options();
  change(execution, "threads", "N,N", "one variant for each number (default: all threads)");
  OptionGroup shapes = shape_options();
  change(shapes, "dim", "NAME=N,N", "one variant for each number: --dim batch=1,8");
  return {input_options(), shapes,           providers,      execution,
          how_options(),   length_options(), gate_options(), load_options()};
}

}  // namespace ortool
