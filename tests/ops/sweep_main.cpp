// opset_sweep [--refusals] FILE...: operator cases converted to other opsets give the same bits.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/opset/convert_opset.hpp"
#include "libcore/runtime/session.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/ops/case_model.hpp"

namespace {

using namespace ortool;

constexpr const char* usage =
    "usage: opset_sweep [--refusals] FILE...\n"
    "Each case is converted to the newest opset, to the one before its own and to opset 13, or "
    "with\n"
    "ORTOOL_ALL_OPSETS in the environment to every opset, and run without rewriting; the session\n"
    "must give the same bits. Conversions that are refused are counted, with --refusals told.\n";
/// ortool's own domain has the version number of the newest opset.
constexpr std::int64_t newest = own_opset;
constexpr std::int64_t opset_between = 13;

struct Counts {
  std::int64_t same = 0;
  std::int64_t refused = 0;
  std::int64_t failed = 0;
};

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::invalid, "the file cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool have_same_bits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.type() == DataType::string) return compare(a, b).passed;
  return a.size_bytes() == 0 ||
         std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

/// Below opset 21, per-channel scale and bias become a Mul and an Add after the normalization.
bool rounds_once_more(const test::OpCase& each) {
  return each.nodes.find("GroupNormalization") != std::string::npos;
}

class Sweep {
 public:
  Sweep(const char* path, bool has_all, bool tells_refusals, ThreadPool& pool)
      : path_(path), has_all_(has_all), tells_refusals_(tells_refusals), pool_(pool) {}

  Counts run() {
    for (const test::OpCase& each : test::parse_case_file(read_file(path_))) {
      if (each.error) continue;
      for (const test::ConstantMode& mode : test::modes_of(each)) run_mode(each, mode);
    }
    return counts_;
  }

 private:
  std::vector<std::int64_t> targets(std::int64_t own) const {
    std::vector<std::int64_t> result;
    for (std::int64_t opset = 1; opset <= newest; ++opset) {
      const bool is_chosen = opset == newest || opset == own - 1 || opset == opset_between;
      if (opset != own && (has_all_ || is_chosen)) result.push_back(opset);
    }
    return result;
  }

  std::vector<RunValue> run_model(std::unique_ptr<Model> model, const NamedValues& inputs) const {
    const Session session(
        std::move(model),
        {.providers = {make_cpu_provider()}, .pool = &pool_, .optimize = OptimizeLevel::none});
    return session.run(inputs, {.threads = 1});
  }

  void run_mode(const test::OpCase& each, const test::ConstantMode& mode) {
    NamedValues inputs;
    for (std::size_t i = 0; i < mode.first_constant; ++i)
      inputs.emplace_back(each.inputs[i].name, each.inputs[i].tensor);
    std::unique_ptr<Model> original = test::make_model(each, mode);
    const std::int64_t own = original->graph->opset("");
    if (own == 0) return;
    const std::vector<RunValue> expected = run_model(std::move(original), inputs);
    for (const std::int64_t target : targets(own)) {
      const std::string where = format("{}:{}: case '{}', {}, opset {} to {}", path_, each.line,
                                       each.name, mode.name, own, target);
      try {
        check(where, each, mode, target, inputs, expected);
      } catch (const std::exception& error) {
        fail(where, error.what());
      }
    }
  }

  void check(const std::string& where, const test::OpCase& each, const test::ConstantMode& mode,
             std::int64_t target, const NamedValues& inputs,
             const std::vector<RunValue>& expected) {
    std::unique_ptr<Model> model = test::make_model(each, mode);
    infer_shapes(*model);
    try {
      convert_opset(*model, target);
    } catch (const Error& error) {
      if (error.id() != "opset.blocked" || error.parts().empty()) throw;
      ++counts_.refused;
      if (tells_refusals_) std::printf("%s: refused: %s\n", where.c_str(), error.message().c_str());
      return;
    }
    verify(*model->graph);
    const std::vector<RunValue> found = run_model(std::move(model), inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool is_same =
          found[i].is_tensor() &&
          (have_same_bits(found[i].tensor(), expected[i].tensor()) ||
           (rounds_once_more(each) &&
            compare(found[i].tensor(), expected[i].tensor(), each.tolerance).passed));
      if (!is_same) return fail(where, format("output {} has other bits", each.outputs[i].name));
    }
    ++counts_.same;
  }

  void fail(const std::string& where, std::string_view what) {
    ++counts_.failed;
    std::printf("%s: %s\n", where.c_str(), escape_control_characters(what).c_str());
  }

  const char* path_;
  bool has_all_;
  bool tells_refusals_;
  ThreadPool& pool_;
  Counts counts_;
};

}  // namespace

int main(int count, char** arguments) {
  const bool tells_refusals = count > 1 && std::strcmp(arguments[1], "--refusals") == 0;
  const int first = tells_refusals ? 2 : 1;
  if (count <= first) {
    std::fputs(usage, stderr);
    return 2;
  }
  const bool has_all = std::getenv("ORTOOL_ALL_OPSETS") != nullptr;
  ThreadPool pool(1);
  Counts sum;
  for (int i = first; i < count; ++i) {
    try {
      const Counts counts = Sweep(arguments[i], has_all, tells_refusals, pool).run();
      sum.same += counts.same;
      sum.refused += counts.refused;
      sum.failed += counts.failed;
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", arguments[i], error.what());
      ++sum.failed;
    }
  }
  std::printf("%lld conversions give the same bits, %lld are refused, %lld are wrong\n",
              static_cast<long long>(sum.same), static_cast<long long>(sum.refused),
              static_cast<long long>(sum.failed));
  return sum.failed == 0 && sum.same > 0 ? 0 : 1;
}
