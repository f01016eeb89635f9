// Checks one random model per seed: node by node, then in sessions and files at every level.
#include "tests/flow/check_models.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "libcore/text/print.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/flow/flow_model.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool::test {
namespace {

namespace fs = std::filesystem;

constexpr int max_printed = 5;

using Outputs = std::vector<std::vector<RunValue>>;  ///< by run

/// What the bodies of all models contained.
struct Coverage {
  std::map<std::string, int> flows;  ///< by operator
  std::set<std::string> fragments;
  std::set<std::string> rules;  ///< that changed something
  int refused = 0;              ///< models that no session can run
};

class ModelCheck {
 public:
  ModelCheck(const FlowModel& made, const Tolerance& tolerance, Coverage& coverage)
      : made_(made), tolerance_(tolerance), coverage_(coverage) {}

  const Outputs& expected() const { return expected_; }

  /// The first difference found, if any.
  std::optional<std::string> run() {
    verify(*made_.model->graph);
    try {
      expected_ = compute(copy_model(*made_.model), OptimizeLevel::none, false);
    } catch (const Error&) {
      ++coverage_.refused;
      return std::nullopt;
    }
    static constexpr std::pair<OptimizeLevel, std::string_view> levels[] = {
        {OptimizeLevel::basic, "basic"},
        {OptimizeLevel::extended, "extended"},
        {OptimizeLevel::all, "all"}};
    for (const auto& [level, name] : levels) {
      const bool is_exact = level == OptimizeLevel::basic;
      if (auto found = check(copy_model(*made_.model), level, false, is_exact))
        return format("session at {}: {}", name, *found);
    }
    if (auto found = check(copy_model(*made_.model), OptimizeLevel::all, true, false))
      return format("nodes side by side: {}", *found);
    for (const auto& [level, name] : levels) {
      if (auto found = check_file(level)) return format("file at {}: {}", name, *found);
    }
    return std::nullopt;
  }

 private:
  Outputs compute(std::unique_ptr<Model> model, OptimizeLevel level, bool is_parallel) const {
    static const std::shared_ptr<const Provider> provider = make_cpu_provider(cpu::best_isa());
    static ThreadPool pool(2);
    const Session session(std::move(model), {.providers = {provider},
                                             .pool = is_parallel ? &pool : nullptr,
                                             .optimize = level,
                                             .parallel = is_parallel});
    Outputs outputs;
    for (const NamedValues& inputs : made_.runs)
      outputs.push_back(session.run(inputs, {.threads = is_parallel ? 2 : 1}));
    return outputs;
  }

  std::optional<std::string> check(std::unique_ptr<Model> model, OptimizeLevel level,
                                   bool is_parallel, bool is_exact) const {
    try {
      return difference(compute(std::move(model), level, is_parallel), is_exact);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  std::optional<std::string> difference(const Outputs& found, bool is_exact) const {
    const Tolerance tolerance = is_exact ? Tolerance{.rtol = 0, .atol = 0} : tolerance_;
    for (std::size_t run = 0; run < found.size(); ++run) {
      for (std::size_t i = 0; i < found[run].size(); ++i) {
        const Tensor& expected = expected_[run][i].tensor();
        const TensorComparison comparison = compare(found[run][i].tensor(), expected, tolerance);
        if (comparison.passed || is_step(expected, comparison)) continue;
        return format("run {}, output {} ({}): {} {} of {} elements, by {} at most", run, i,
                      made_.model->graph->outputs()[i]->name(), comparison.difference,
                      comparison.mismatched, comparison.count, comparison.max_abs_error);
      }
    }
    return std::nullopt;
  }

  /// Whether the outputs are quantized and differ by at most one.
  bool is_step(const Tensor& expected, const TensorComparison& comparison) const {
    return is_integer(expected.type()) && comparison.difference.empty() &&
           tolerance_.rtol >= 1e-2 && comparison.max_abs_error <= 1;
  }

  /// Optimizes the model as for a file, saves it, loads it and runs it as `run` does.
  std::optional<std::string> check_file(OptimizeLevel level) const {
    try {
      std::unique_ptr<Model> model = copy_model(*made_.model);
      infer_shapes(*model);
      rewrite_file(*model, level);
      verify(*model->graph);
      const ScratchFile file("flow.onnx");
      save_model(*model, file.path());
      return difference(compute(load_model(file.path()), OptimizeLevel::all, false), false);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  void rewrite_file(Model& model, OptimizeLevel level) const {
    const auto provider = make_cpu_provider(cpu::best_isa());
    Workers workers;
    const CompileContext context{.workers = workers};
    ConstantEvaluator evaluator(*provider, context);
    RewriteOptions options;
    options.evaluator = &evaluator;
    options.keeps_events = true;
    for (const RewriteEvent& event : optimize(model, pipeline(), level, options).events) {
      if (event.reason.empty()) coverage_.rules.insert(std::string(event.rule));
    }
  }

  const FlowModel& made_;
  Tolerance tolerance_;
  Coverage& coverage_;
  Outputs expected_;
};

/// The loosest tolerance of all fragments, since values pass through several of them.
Tolerance tolerance_of(const BodyPlan& plan) {
  Tolerance result = {.rtol = 0, .atol = 0, .atol_of_max = true};
  const auto take = [&](const Tolerance& other) {
    result.rtol = std::max(result.rtol, other.rtol);
    result.atol = std::max(result.atol, other.atol);
  };
  for (const FragmentUse& use : plan.fragments) take(use.fragment->tolerance);
  for (const FlowPlan& flow : plan.flows) {
    for (const BodyPlan& body : flow.bodies) take(tolerance_of(body));
  }
  return result;
}

void note(const BodyPlan& plan, Coverage& coverage) {
  for (const FragmentUse& use : plan.fragments) coverage.fragments.insert(use.fragment->name);
  for (const FlowPlan& flow : plan.flows) {
    static constexpr const char* names[] = {"If", "Loop", "Scan", "SequenceMap"};
    ++coverage.flows[names[static_cast<std::size_t>(flow.kind)]];
    for (const BodyPlan& body : flow.bodies) note(body, coverage);
  }
}

/// Writes STEM.onnx and, for each run, STEM.RUN.npz with "in:NAME" and "out:NAME".
void write(Model& model, const std::vector<NamedValues>& runs, const Outputs& outputs,
           const std::string& stem) {
  try {
    for (std::size_t run = 0; run < outputs.size(); ++run) {
      std::vector<std::pair<std::string, Tensor>> tensors;
      for (const auto& [name, value] : runs[run])
        tensors.emplace_back("in:" + name, value.tensor());
      for (std::size_t i = 0; i < outputs[run].size(); ++i) {
        const Value& output = *model.graph->outputs()[i];
        tensors.emplace_back("out:" + std::string(output.name()), outputs[run][i].tensor());
      }
      save_npz(format("{}.{}.npz", stem, run), tensors);
    }
    infer_shapes(model);
    save_model(model, stem + ".onnx");
  } catch (const Error& error) {
    // numpy lacks some types.
    if (error.code() != ErrorCode::unsupported) throw;
  }
}

/// Writes each case of a plan once, as FOLDER/case_NUMBER.onnx; `lines` collects file and case.
void write_cases(const BodyPlan& plan, const std::string& folder, std::set<std::string>& lines) {
  for (const FragmentUse& use : plan.fragments) {
    const Fragment& fragment = *use.fragment;
    const std::string name = format("case_{}", fragment.number);
    const std::string stem = format("{}/{}", folder, name);
    const bool is_new = lines.insert(format("{} {}", name, fragment.name)).second;
    if (!is_new || fs::exists(stem + ".onnx")) continue;
    const std::unique_ptr<Model> model = copy_model(*fragment.model);
    write(*model, {inputs_of(fragment, false), inputs_of(fragment, true)},
          {compute(fragment, false), compute(fragment, true)}, stem);
  }
  for (const FlowPlan& flow : plan.flows) {
    for (const BodyPlan& body : flow.bodies) write_cases(body, folder, lines);
  }
}

/// Writes FOLDER/SEED.onnx with its runs, and FOLDER/SEED.txt with one line per case.
void write(const FlowModel& made, const BodyPlan& plan, const Outputs& outputs,
           const std::string& folder, std::uint64_t seed) {
  std::set<std::string> lines;
  write_cases(plan, folder, lines);
  const std::string stem = format("{}/{}", folder, seed);
  std::ofstream list(stem + ".txt");
  for (const std::string& line : lines) list << line << "\n";
  write(*made.model, made.runs, outputs, stem);
}

}  // namespace

int check_flow_models(const CheckOptions& options) {
  Fragments fragments(options.testdata);
  Coverage coverage;
  int failed = 0;
  for (int i = 0; i < options.count; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    RandomSource dice(seed);
    const BodyPlan plan = make_plan(dice, fragments, seed);
    note(plan, coverage);
    const FlowModel made = make_flow_model(dice, plan);
    ModelCheck check(made, tolerance_of(plan), coverage);
    const std::optional<std::string> finding = check.run();
    if (!options.folder.empty() && !check.expected().empty())
      write(made, plan, check.expected(), options.folder, seed);
    if (!finding) continue;
    if (++failed <= max_printed)
      std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), finding->c_str(),
                  print_graph(*made.model->graph).c_str());
    else
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), finding->c_str());
  }
  std::printf(
      "%d models from seed %llu: %d failed, %d run in no session; %zu cases in bodies, %zu "
      "rules and passes acted\n",
      options.count, static_cast<unsigned long long>(options.seed), failed, coverage.refused,
      coverage.fragments.size(), coverage.rules.size());
  for (const auto& [name, count] : coverage.flows) std::printf("  %s: %d\n", name.c_str(), count);
  return failed;
}

}  // namespace ortool::test
