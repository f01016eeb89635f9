// Options of bench, in groups; some options of other commands accept lists here.
#include "apps/ortool/bench/bench_settings.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/parts/shard_options.hpp"

namespace ortool {
namespace {

void change(OptionGroup& group, std::string_view name, std::string_view value,
            std::string_view help) {
  for (OptionSpec& option : group.options) {
    if (option.name != name) continue;
    option.value = value;
    option.help = help;
    option.repeats = true;
    option.is_list = true;
    option.range.reset();
  }
}

OptionGroup length_options() {
  return {"Duration",
          {
              {.name = "warmup",
               .value = "N",
               .help = "warm-up runs before measuring (default: auto, until times are stable)",
               .range = whole_from(0, max_bench_runs),
               .suggestions = {"auto"}},
              {.name = "iterations",
               .value = "N",
               .help = "number of runs to measure",
               .range = whole_from(1, max_bench_runs)},
              {.name = "duration", .value = "TIME", .help = "time to measure each variant for: 5s"},
              {.name = "precision-target",
               .value = "SHARE",
               .help = "target precision of the median (default: 1%); exit 3 if not reached"},
          }};
}

OptionGroup load_options() {
  return {"Load",
          {
              {.name = "concurrency",
               .value = "N",
               .help = "number of concurrent callers",
               .range = whole_from(1, 256)},
              {.name = "rate",
               .value = "QPS",
               .help = "requests per second, sent whether or not earlier ones are done",
               .range = real_from(1e-3, 1e7)},
              {.name = "distribution",
               .value = "HOW",
               .help = "distribution of their arrivals: poisson (default), constant",
               .choices = {"poisson", "constant"}},
              {.name = "find-rate",
               .value = "pN=TIME",
               .help = "find the highest rate that meets the bound: p99=20ms"},
          }};
}

OptionGroup gate_options() {
  return {
      "Comparing (exit 1 for a regression)",
      {
          {.name = "reference",
           .value = "MODEL",
           .help = "measure this model too, and compare each variant with it",
           .completes = Completion::files},
          {.name = "baseline",
           .value = "FILE|DIR",
           .help = "compare with an earlier report, or with this machine's report in a folder",
           .completes = Completion::files},
          {.name = "max-regression",
           .value = "SHARE",
           .help = "slowdown that counts as a regression (default: 5%); cpu=5%,cuda=3%",
           .is_list = true},
          {.name = "max-latency", .value = "pN=TIME", .help = "upper bound of a latency: p95=12ms"},
          {.name = "max-rss",
           .value = "SIZE",
           .help = "upper bound of the process's memory",
           .range = size_range},
      }};
}

OptionGroup how_options() {
  return {
      "What to measure",
      {
          {.name = "percentiles", .value = "P,P", .help = "default: 50,90,95,99", .is_list = true},
          {.name = "isolate", .help = "measure each variant in its own process"},
          {.name = "skip-unavailable", .help = "skip providers that are not available"},
          {.name = "profile", .help = "time of each node and what bounds it; also writes a trace"},
          {.name = "trace",
           .value = "FILE",
           .help = "where --profile writes a Chrome trace (default: ortool-trace.json)",
           .completes = Completion::files},
          {.name = "raw", .help = "include every sample in JSON"},
          {.name = "tune",
           .value = "CONFIG.json",
           .help = "find the fastest settings and write them for --config",
           .completes = Completion::files},
          {.name = "estimate",
           .value = "CPU.json",
           .help = "compute times on another device instead of measuring: cortex-a53, or a file",
           .repeats = true,
           .completes = Completion::files},
          shard_option(),
          part_out_option(),
          {.name = "stepped",
           .help = "load, then answer each line `run N` on stdin with one line of JSON"},
      }};
}

}  // namespace

std::vector<OptionGroup> bench_options() {
  OptionGroup providers = provider_options();
  change(providers, "provider", "NAMES", "one variant for each occurrence (default: auto)");
  OptionGroup execution = execution_options();
  execution.options.push_back(cache_dir_option());
  execution.options.push_back(cache_limit_option());
  change(execution, "threads", "N,N", "one variant for each number (default: all threads)");
  OptionGroup shapes = shape_options();
  change(shapes, "dim", "NAME=N,N", "one variant for each value: --dim batch=1,8");
  return {input_options(), shapes,           providers,      execution,
          how_options(),   length_options(), gate_options(), load_options()};
}

}  // namespace ortool
