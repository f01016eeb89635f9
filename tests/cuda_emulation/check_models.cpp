// cuda_check_models [--emulated] [--float16|--bfloat16|--tf32] [--option KEY=VALUE] [--runs N]
// [--only-time]
// [--size NAME=N] [--then NAME=N] [--variant KEY=VALUE,...] MODEL...: runs models on the GPU and on
// the cpu, compares the outputs, and times the runs, as a whole and their parts on the GPU; with
// --then one more run of other sizes, with several --variant once with each set of options. Exit
// code 1 if one differs, 77 without a GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/provider/device/device_report.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/compare.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/cuda/cuda_provider.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"
#include "tests/cuda_emulation/gpu_provider.hpp"

namespace {

using namespace ortool;

struct CheckOptions {
  bool is_emulated = false;
  std::string precision;
  int runs = 20;
  bool only_time = false;
  SymbolSizes sizes;
  SymbolSizes next_sizes;  ///< of one more run
  std::string provider_options;
  std::vector<std::string> variants;  ///< further options, one set after the other
};

std::shared_ptr<cuda::Device> emulate(std::int64_t, std::int64_t limit_bytes) {
  return std::make_shared<test::EmulatedDevice>(test::EmulationOptions{.limit_bytes = limit_bytes});
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

class ModelCheck {
 public:
  ModelCheck(std::shared_ptr<const Provider> provider, const CheckOptions& options)
      : provider_(std::move(provider)), options_(options) {}

  /// Whether the outputs agree.
  bool run(const char* path) {
    auto start = std::chrono::steady_clock::now();
    const Session gpu(load_model(path), {.providers = {provider_, cpu_}, .pool = &pool_});
    const double load = milliseconds_since(start);
    const NamedValues inputs = make_inputs(gpu, options_.sizes);
    start = std::chrono::steady_clock::now();
    std::vector<RunValue> found = gpu.run(inputs, {.threads = 4});
    const double first = milliseconds_since(start);
    DeviceReport report;
    const DeviceReportScope scope(report);
    std::vector<double> times;
    for (int i = 0; i < options_.runs; ++i) {
      start = std::chrono::steady_clock::now();
      found = gpu.run(inputs, {.threads = 4});
      times.push_back(milliseconds_since(start));
    }
    print_parts(report.figures);
    std::sort(times.begin(), times.end());
    std::printf("%s\n  %s; load %.1f ms, first run %.1f ms, median %.4f ms, least %.4f ms\n", path,
                placement_of(gpu).c_str(), load, first, times.empty() ? 0 : times[times.size() / 2],
                times.empty() ? 0 : times.front());
    if (!options_.next_sizes.empty()) run_other_sizes(gpu);
    if (options_.only_time) return true;
    const Session cpu(load_model(path), {.providers = {cpu_}, .pool = &pool_});
    return compare_outputs(found, cpu.run(inputs, {.threads = 8}));
  }

 private:
  void print_parts(const DeviceFigures& figures) const {
    const auto milliseconds = [&](std::int64_t ns) {
      return static_cast<double>(ns) / 1e6 / std::max(1, options_.runs);
    };
    std::printf("  on the device: copy in %.4f ms, compute %.4f ms, copy out %.4f ms; %.1f MB\n",
                milliseconds(figures.copy_in_ns), milliseconds(figures.compute_ns),
                milliseconds(figures.copy_out_ns), static_cast<double>(figures.memory_bytes) / 1e6);
  }

  /// Twice, for the cost of the shapes alone.
  void run_other_sizes(const Session& session) {
    const NamedValues inputs = make_inputs(session, options_.next_sizes);
    for (const char* name : {"new shapes", "the same again"}) {
      const auto start = std::chrono::steady_clock::now();
      session.run(inputs, {.threads = 4});
      std::printf("  %s: %.3f ms\n", name, milliseconds_since(start));
    }
  }

  NamedValues make_inputs(const Session& session, SymbolSizes sizes) {
    NamedValues inputs;
    std::vector<std::string> defaulted;
    std::int64_t position = 0;
    for (const Value* input : session.inputs()) {
      inputs.emplace_back(std::string(input->name()), random_value(*input, sizes, defaulted, 1,
                                                                   position++, std::nullopt, cap_));
    }
    return inputs;
  }

  static std::string placement_of(const Session& session) {
    int on_device = 0;
    std::string others;
    int other_count = 0;
    for (const Placement& placement : session.placement()) {
      if (placement.provider == "cuda") {
        ++on_device;
      } else if (++other_count <= 6) {
        others += " " + placement.op_type;
      }
    }
    return format("{} nodes on the device, {} not{}", on_device, other_count,
                  others.empty() ? "" : " (" + others.substr(1) + ")");
  }

  bool compare_outputs(const std::vector<RunValue>& found,
                       const std::vector<RunValue>& expected) const {
    const bool is_rough = !options_.precision.empty();
    const Tolerance tolerance = {
        .rtol = is_rough ? 5e-2 : 1e-3, .atol = is_rough ? 5e-2 : 1e-4, .atol_of_max = true};
    bool all_passed = true;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!expected[i].is_tensor()) continue;
      const TensorComparison comparison =
          compare(found[i].tensor(), expected[i].tensor(), tolerance);
      all_passed = all_passed && comparison.passed;
      std::printf("  output %zu: %s, %lld of %lld elements differ, by %g at most, cosine %.9f %s\n",
                  i, comparison.passed ? "passed" : "FAILED",
                  static_cast<long long>(comparison.mismatched),
                  static_cast<long long>(comparison.count), comparison.max_abs_error,
                  comparison.cosine, comparison.difference.c_str());
    }
    return all_passed;
  }

  std::shared_ptr<const Provider> provider_;
  std::shared_ptr<const Provider> cpu_ = make_cpu_provider();
  const CheckOptions& options_;
  ThreadPool pool_{8};
  MemoryCap cap_;
};

int count_failed(const std::shared_ptr<const Provider>& provider, const CheckOptions& options,
                 const std::vector<const char*>& models) {
  int failed = 0;
  for (const char* model : models) {
    try {
      failed += ModelCheck(provider, options).run(model) ? 0 : 1;
    } catch (const std::exception& error) {
      std::printf("%s\n  FAILED: %s\n", model, error.what());
      ++failed;
    }
    std::fflush(stdout);
  }
  return failed;
}

}  // namespace

int main(int count, char** arguments) {
  CheckOptions options;
  std::vector<const char*> models;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--emulated") {
      options.is_emulated = true;
    } else if (argument == "--float16" || argument == "--bfloat16" || argument == "--tf32") {
      options.precision = argument.substr(2);
    } else if (argument == "--only-time") {
      options.only_time = true;
    } else if (argument == "--runs" && i + 1 < count) {
      options.runs = std::atoi(arguments[++i]);
    } else if (argument == "--option" && i + 1 < count) {
      options.provider_options += std::string(",") + arguments[++i];
    } else if (argument == "--variant" && i + 1 < count) {
      options.variants.emplace_back(arguments[++i]);
    } else if ((argument == "--size" || argument == "--then") && i + 1 < count) {
      const std::string_view size = arguments[++i];
      const std::size_t equals = size.find('=');
      if (equals != std::string_view::npos)
        (argument == "--size" ? options.sizes
                              : options.next_sizes)[std::string(size.substr(0, equals))] =
            std::atoll(std::string(size.substr(equals + 1)).c_str());
    } else {
      models.push_back(arguments[i]);
    }
  }
  set_log_level(LogLevel::debug);
  int failed = 0;
  try {
    if (options.variants.empty()) options.variants.emplace_back();
    for (const std::string& variant : options.variants) {
      const std::string text =
          "precision=" + (options.precision.empty() ? "float32" : options.precision) +
          options.provider_options + (variant.empty() ? "" : ",") + variant;
      const std::shared_ptr<const Provider> provider = options.is_emulated
                                                           ? cuda::make_provider_on(&emulate, text)
                                                           : test::make_gpu_provider(text);
      if (!provider->unavailable_because().empty()) {
        std::printf("SKIPPED: %s\n", provider->unavailable_because().c_str());
        return 77;
      }
      std::printf("on %s with %s\n", provider->version().c_str(), text.c_str());
      failed += count_failed(provider, options, models);
    }
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  std::printf("%d of %zu models failed\n", failed, models.size() * options.variants.size());
  return failed == 0 ? 0 : 1;
}
