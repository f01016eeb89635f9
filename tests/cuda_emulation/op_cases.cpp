// cuda_op_cases [--backward] [--gpu] [--options KEY=VALUE,...] FILE...: runs operator cases on the
// emulated device, or on the GPU, with options of the provider; exit code 1 if a claimed case
// fails, 77 without a GPU.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/cuda/cuda_provider.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"
#include "tests/cuda_emulation/gpu_provider.hpp"
#include "tests/ops/case_file.hpp"
#include "tests/ops/case_model.hpp"

namespace {

using namespace ortool;

struct CaseCounts {
  int claimed = 0;  ///< cases with all nodes on the device
  int partly = 0;
  int refused = 0;
  int failed = 0;
};

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::invalid, "the file cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class CaseRunner {
 public:
  CaseRunner(std::shared_ptr<const Provider> provider, ThreadPool& pool)
      : provider_(std::move(provider)), pool_(pool) {}

  void run_file(const char* path) {
    for (const test::OpCase& each : test::parse_case_file(read_file(path))) {
      for (const test::ConstantMode& mode : test::modes_of(each)) run(path, each, mode);
    }
  }

  void print() const {
    std::printf("%d cases on the device, %d partly, %d not, %d failed\n", counts_.claimed,
                counts_.partly, counts_.refused, counts_.failed);
    for (const auto& [reason, count] : reasons_)
      std::printf("  refused %4d: %s\n", count, reason.c_str());
  }
  const CaseCounts& counts() const { return counts_; }

 private:
  void fail(const char* path, const test::OpCase& each, const test::ConstantMode& mode,
            const std::string& what) {
    ++counts_.failed;
    std::printf("%s:%d: case '%s' [%s]: %s\n", path, each.line, each.name.c_str(),
                std::string(mode.name).c_str(), escape_control_characters(what).c_str());
  }

  /// Counts the nodes on the device, and why others are not.
  int count_placement(const Session& session) {
    int on_device = 0;
    int others = 0;
    for (const Placement& placement : session.placement()) {
      if (placement.provider == "cuda") {
        ++on_device;
        continue;
      }
      ++others;
      for (const std::string& reason : placement.reasons)
        if (reason.rfind("cuda: ", 0) == 0) ++reasons_[reason.substr(6)];
    }
    ++(on_device == 0 ? counts_.refused : others == 0 ? counts_.claimed : counts_.partly);
    return on_device;
  }

  void run(const char* path, const test::OpCase& each, const test::ConstantMode& mode) {
    try {
      NamedValues inputs;
      for (std::size_t i = 0; i < mode.first_constant; ++i)
        inputs.emplace_back(each.inputs[i].name, each.inputs[i].tensor);
      const Session session(test::make_model(each, mode),
                            {.providers = {provider_, cpu_}, .pool = &pool_});
      if (count_placement(session) == 0) return;
      // Launched, captured and replayed.
      std::vector<RunValue> found;
      for (int i = 0; i < 3; ++i) found = session.run(inputs, {.threads = 1});
      if (each.error) {
        fail(path, each, mode, "ran, where an error is expected");
        return;
      }
      for (std::size_t i = 0; i < found.size(); ++i) check(path, each, mode, i, found[i].tensor());
    } catch (const Error& error) {
      if (!each.error) {
        fail(path, each, mode, format("failed: {}", error.what()));
      } else if (error.code() != each.error->code) {
        fail(path, each, mode,
             format("failed with code {} where {} is expected: {}", static_cast<int>(error.code()),
                    static_cast<int>(each.error->code), error.what()));
      }
    } catch (const std::exception& error) {
      fail(path, each, mode, format("threw something else than Error: {}", error.what()));
    }
  }

  void check(const char* path, const test::OpCase& each, const test::ConstantMode& mode,
             std::size_t index, const Tensor& found) {
    const test::CaseTensor& output = each.outputs[index];
    if (output.tensor.is_empty()) return;
    const TensorComparison comparison = compare(found, output.tensor, each.tolerance);
    if (comparison.passed) return;
    fail(path, each, mode,
         comparison.difference.empty()
             ? ortool::format("{}: {} of {} elements differ, by {} at most", output.name,
                              comparison.mismatched, comparison.count, comparison.max_abs_error)
             : ortool::format("{}: {}", output.name, comparison.difference));
  }

  std::shared_ptr<const Provider> provider_;
  std::shared_ptr<const Provider> cpu_ = make_cpu_provider();
  ThreadPool& pool_;
  CaseCounts counts_;
  std::map<std::string, int> reasons_;
};

}  // namespace

int main(int count, char** arguments) {
  // What was found is shown even if a later case ends the program.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  bool is_backward = false;
  bool is_gpu = false;
  std::string_view options;
  std::vector<const char*> files;
  for (int i = 1; i < count; ++i) {
    if (std::string_view(arguments[i]) == "--backward") {
      is_backward = true;
    } else if (std::string_view(arguments[i]) == "--gpu") {
      is_gpu = true;
    } else if (std::string_view(arguments[i]) == "--options" && i + 1 < count) {
      options = arguments[++i];
    } else {
      files.push_back(arguments[i]);
    }
  }
  try {
    ThreadPool pool(1);
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    const auto emulate = [&](std::int64_t, std::int64_t limit_bytes) {
      if (limit_bytes == 0) limit_bytes = most_bytes;
      return std::make_shared<test::EmulatedDevice>(
          test::EmulationOptions{.limit_bytes = limit_bytes, .runs_backward = is_backward});
    };
    const std::shared_ptr<const Provider> provider =
        is_gpu ? test::make_gpu_provider(options) : cuda::make_provider_on(emulate, options);
    if (!provider->unavailable_because().empty()) {
      std::printf("SKIPPED: %s\n", provider->unavailable_because().c_str());
      return 77;
    }
    std::printf("on %s\n", provider->version().c_str());
    CaseRunner runner(provider, pool);
    for (const char* file : files) runner.run_file(file);
    runner.print();
    return runner.counts().failed == 0 && runner.counts().claimed > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
