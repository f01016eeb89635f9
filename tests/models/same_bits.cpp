// same_bits [--onednn] FOLDER...: each folder's model gives the same bits in every run.
// Runs with any number of threads, sequentially and in parallel, and a thousand times. Outputs
// nearly agree at every ISA level, without rewrites, and with and without oneDNN.
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/value_file.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/compare.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/onednn/onednn_provider.hpp"

namespace {

using namespace ortool;

constexpr int many_threads = 8;
constexpr int many_runs = 1000;
constexpr std::int64_t small_file_bytes = 200'000;

/// Rounding differs between ISA levels and errors grow with depth, but stay below this part of the
/// largest element. 16-bit models round coarsely; in int8 models a rewrite rounds once where the
/// file rounds twice, which can move a sum by one step.
Tolerance tolerance_of(const std::string& model) {
  const bool has_bytes = model.find("int8") != std::string::npos;
  const bool has_fp16 = model.find("fp16") != std::string::npos;
  const double part = has_bytes ? 0.1 : has_fp16 ? 1e-2 : 1e-3;
  return {.rtol = part, .atol = part, .atol_of_max = true};
}

std::unique_ptr<Model> load(const std::filesystem::path& folder) {
  auto model = load_model((folder / "model.onnx").string());
  resolve_legacy_defaults(*model);
  return model;
}

/// Matched by the names in the files, or by file number if no input has that name.
NamedValues load_inputs(const std::filesystem::path& folder, const Graph& graph) {
  NamedValues inputs;
  std::size_t number = 0;
  for (const Value* input : graph.inputs()) {
    const auto path = folder / "test_data_set_0" / format("input_{}.pb", number++);
    if (!std::filesystem::exists(path)) continue;
    std::string name;
    load_value(path.string(), {}, &name);
    const Value* named = graph.find_value(name);
    if (named == nullptr || !named->is_graph_input()) named = input;
    inputs.emplace_back(std::string(named->name()), load_value(path.string(), named->type()));
  }
  return inputs;
}

bool has_same_bits(const RunValue& a, const RunValue& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_sequence()) {
    bool is_same = a.elements().size() == b.elements().size();
    for (std::size_t i = 0; is_same && i < a.elements().size(); ++i)
      is_same = has_same_bits(a.elements()[i], b.elements()[i]);
    return is_same;
  }
  if (a.is_map())
    return has_same_bits(a.keys(), b.keys()) && has_same_bits(a.map_values(), b.map_values());
  if (!a.is_tensor()) return true;
  const Tensor& x = a.tensor();
  const Tensor& y = b.tensor();
  if (x.type() != y.type() || x.shape() != y.shape()) return false;
  if (x.type() == DataType::string)
    return std::equal(x.strings().begin(), x.strings().end(), y.strings().begin());
  return x.size_bytes() == 0 ||
         std::memcmp(x.bytes(), y.bytes(), static_cast<std::size_t>(x.size_bytes())) == 0;
}

bool is_near(const RunValue& a, const RunValue& b, const Tolerance& tolerance) {
  if (a.kind() != b.kind()) return false;
  if (a.is_tensor()) return compare(a.tensor(), b.tensor(), tolerance).passed;
  if (a.is_map())
    return is_near(a.keys(), b.keys(), tolerance) &&
           is_near(a.map_values(), b.map_values(), tolerance);
  if (!a.is_sequence()) return true;
  bool is_same = a.elements().size() == b.elements().size();
  for (std::size_t i = 0; is_same && i < a.elements().size(); ++i)
    is_same = is_near(a.elements()[i], b.elements()[i], tolerance);
  return is_same;
}

/// Compares the runs of one model with the first of them.
class Trial {
 public:
  Trial(std::filesystem::path folder, std::shared_ptr<const Provider> onednn, ThreadPool& pool)
      : folder_(std::move(folder)),
        onednn_(std::move(onednn)),
        pool_(pool),
        inputs_(load_inputs(folder_, *load(folder_)->graph)) {}

  int run() {
    const auto near = [tolerance = tolerance_of(folder_.filename().string())](const RunValue& a,
                                                                              const RunValue& b) {
      return is_near(a, b, tolerance);
    };
    const cpu::Isa best = cpu::best_isa();
    const bool is_exact = folder_.filename().string().find("int8-q") != std::string::npos;
    for (const cpu::Isa isa : {best, cpu::Isa::avx512, cpu::Isa::avx2, cpu::Isa::baseline}) {
      if (isa > best || (isa == best && !reference_.empty())) continue;
      // Above avx512, only int8 products have kernels of their own.
      if (isa == cpu::Isa::avx512 && best > isa && !is_exact) continue;
      // oneDNN uses one ISA level for the whole process.
      if (isa != best && onednn_ != nullptr) continue;
      compare_isas(isa, is_exact, near);
    }
    const auto plain = make({make_cpu_provider(best)}, false, false);
    check(plain->run(inputs_, {.threads = 2}), reference_, "cpu, nothing rewritten", near);
    std::printf("%s: %d failures\n", folder_.filename().c_str(), failures_);
    return failures_;
  }

 private:
  using Providers = std::vector<std::shared_ptr<const Provider>>;

  Providers providers(cpu::Isa isa) const {
    Providers list = {make_cpu_provider(isa)};
    if (onednn_ != nullptr) list.insert(list.begin(), onednn_);
    return list;
  }

  std::unique_ptr<Session> make(Providers providers, bool is_parallel, bool optimize) const {
    SessionOptions options;
    options.providers = std::move(providers);
    options.pool = &pool_;
    options.threads = 2;
    options.parallel = is_parallel;
    options.optimize = optimize ? OptimizeLevel::all : OptimizeLevel::none;
    return std::make_unique<Session>(load(folder_), options);
  }

  template <typename IsClose>
  void check(const std::vector<RunValue>& found, const std::vector<RunValue>& expected,
             std::string_view way, IsClose is_alike) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (is_alike(found[i], expected[i])) continue;
      ++failures_;
      std::printf("  output %zu differs: %.*s\n", i, static_cast<int>(way.size()), way.data());
    }
  }

  template <typename IsNear>
  void compare_isas(cpu::Isa isa, bool is_exact, IsNear near) {
    const auto same = [](const RunValue& a, const RunValue& b) { return has_same_bits(a, b); };
    std::vector<RunValue> first;
    for (const bool is_parallel : {false, true}) {
      const auto session = make(providers(isa), is_parallel, true);
      for (const int threads : {1, 2, 4, many_threads}) {
        const std::vector<RunValue> found = session->run(inputs_, {.threads = threads});
        if (first.empty()) first = found;
        check(found, first,
              format("{}, {} threads{}", cpu::isa_name(isa), threads,
                     is_parallel ? ", parallel" : ""),
              same);
      }
      if (isa == cpu::best_isa() &&
          std::filesystem::file_size(folder_ / "model.onnx") < small_file_bytes)
        compare_many(*session, first);
    }
    if (reference_.empty()) {
      reference_ = std::move(first);
    } else if (is_exact) {
      check(first, reference_, cpu::isa_name(isa), same);
    } else {
      check(first, reference_, cpu::isa_name(isa), near);
    }
  }

  void compare_many(const Session& session, const std::vector<RunValue>& first) {
    for (int i = 0; i < many_runs && failures_ == 0; ++i) {
      check(session.run(inputs_, {.threads = 1 + i % 4}), first, "one of many runs",
            [](const RunValue& a, const RunValue& b) { return has_same_bits(a, b); });
    }
  }

  std::filesystem::path folder_;
  std::shared_ptr<const Provider> onednn_;  ///< null: cpu alone
  ThreadPool& pool_;
  NamedValues inputs_;
  std::vector<RunValue> reference_;
  int failures_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  ThreadPool pool(many_threads);
  int failures = 0;
  int models = 0;
  std::shared_ptr<const Provider> onednn;
  const int first = count > 1 && std::string_view(arguments[1]) == "--onednn" ? 2 : 1;
  if (first == 2) {
    onednn = make_onednn_provider();
    if (!onednn->unavailable_because().empty()) {
      std::printf("SKIPPED: %s\n", onednn->unavailable_because().c_str());
      return 77;
    }
  }
  for (int i = first; i < count; ++i) {
    if (!std::filesystem::exists(std::filesystem::path(arguments[i]) / "test_data_set_0")) continue;
    ++models;
    try {
      failures += Trial(arguments[i], onednn, pool).run();
    } catch (const Error& error) {
      failures += error.code() == ErrorCode::unsupported ? 0 : 1;
      std::printf("%s: %s\n", arguments[i], error.what());
    } catch (const std::exception& error) {
      ++failures;
      std::printf("%s: %s\n", arguments[i], error.what());
    }
    std::fflush(stdout);
  }
  if (models == 0) {
    std::puts("SKIPPED: no models beside this tree");
    return 77;
  }
  return failures == 0 ? 0 : 1;
}
