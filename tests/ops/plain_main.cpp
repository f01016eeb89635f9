// plain_sweep FILE...: operator cases written for target onnx give the expected outputs.
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/target/target.hpp"
#include "libcore/runtime/session.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/ops/case_model.hpp"

namespace {

using namespace ortool;

constexpr const char* usage =
    "usage: plain_sweep [--refusals] FILE...\n"
    "Each case is written in ONNX's operators and run without rewriting. Those without a form are\n"
    "counted, with --refusals told.\n";

struct Counts {
  std::int64_t equal = 0;
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

/// Where the operator may round its first operand to 8 bits, and ONNX's operators do not.
Tolerance tolerance_of(const test::OpCase& each) {
  const auto has = [&](const char* text) { return each.nodes.find(text) != std::string::npos; };
  if (!has("accuracy_level = 4") && !has("DynamicQuantizeLSTM")) return each.tolerance;
  return {.rtol = 2e-2, .atol = 2e-2, .atol_of_max = true};
}

/// Where ONNX's operators differ on purpose: Gather refuses an index outside the axis, and products
/// are not rounded.
bool differs_by_definition(const test::OpCase& each) {
  return each.name == "an index outside the axis" || each.name == "accuracy level 4, an infinity";
}

class PlainSweep {
 public:
  PlainSweep(const char* path, bool tells_refusals, ThreadPool& pool)
      : path_(path), tells_refusals_(tells_refusals), pool_(pool) {}

  Counts run() {
    for (const test::OpCase& each : test::parse_case_file(read_file(path_))) {
      if (each.error || differs_by_definition(each)) continue;
      for (const test::ConstantMode& mode : test::modes_of(each)) {
        const std::string where =
            format("{}:{}: case '{}', {}", path_, each.line, each.name, mode.name);
        try {
          check(where, each, mode);
        } catch (const std::exception& error) {
          fail(where, error.what());
        }
      }
    }
    return counts_;
  }

 private:
  void check(const std::string& where, const test::OpCase& each, const test::ConstantMode& mode) {
    std::unique_ptr<Model> model = test::make_model(each, mode);
    infer_shapes(*model);
    try {
      write_for_onnx(*model);
    } catch (const Error& error) {
      if (error.id() != "optimize.target") throw;
      ++counts_.refused;
      if (tells_refusals_) std::printf("%s: refused: %s\n", where.c_str(), error.what());
      return;
    }
    verify(*model->graph);
    NamedValues inputs;
    for (std::size_t i = 0; i < mode.first_constant; ++i)
      inputs.emplace_back(each.inputs[i].name, each.inputs[i].tensor);
    const Session session(
        std::move(model),
        {.providers = {make_cpu_provider()}, .pool = &pool_, .optimize = OptimizeLevel::none});
    const std::vector<RunValue> found = session.run(inputs, {.threads = 1});
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Tensor& expected = each.outputs[i].tensor;
      if (expected.is_empty()) continue;
      const TensorComparison comparison = compare(found[i].tensor(), expected, tolerance_of(each));
      if (!comparison.difference.empty())
        return fail(where, format("{}: {}", each.outputs[i].name, comparison.difference));
      if (!comparison.passed) {
        return fail(where,
                    format("{}: {} of {} elements differ, by {} at most", each.outputs[i].name,
                           comparison.mismatched, comparison.count, comparison.max_abs_error));
      }
    }
    ++counts_.equal;
  }

  void fail(const std::string& where, std::string_view what) {
    ++counts_.failed;
    std::printf("%s: %s\n", where.c_str(), escape_control_characters(what).c_str());
  }

  const char* path_;
  bool tells_refusals_;
  ThreadPool& pool_;
  Counts counts_;
};

}  // namespace

int main(int count, char** arguments) {
  const bool tells_refusals = count > 1 && std::string_view(arguments[1]) == "--refusals";
  const int first = tells_refusals ? 2 : 1;
  if (count <= first) {
    std::fputs(usage, stderr);
    return 2;
  }
  ThreadPool pool(1);
  Counts sum;
  for (int i = first; i < count; ++i) {
    try {
      const Counts counts = PlainSweep(arguments[i], tells_refusals, pool).run();
      sum.equal += counts.equal;
      sum.refused += counts.refused;
      sum.failed += counts.failed;
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", arguments[i], error.what());
      ++sum.failed;
    }
  }
  std::printf("%lld cases give the expected outputs, %lld have no form, %lld are wrong\n",
              static_cast<long long>(sum.equal), static_cast<long long>(sum.refused),
              static_cast<long long>(sum.failed));
  return sum.failed == 0 && sum.equal > 0 ? 0 : 1;
}
