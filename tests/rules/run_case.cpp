// Runs a rule case: only the rule rewrites the graph; unoptimized sessions compute both versions.
#include "tests/rules/run_case.hpp"

#include <cstring>
#include <exception>
#include <functional>
#include <optional>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/diff.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/rules/made_inputs.hpp"

namespace ortool::test {

/// A rule or a pass of the pipeline.
struct Subject {
  OptimizeLevel level;
  std::function<void(Model&, const RewriteOptions&, RewriteReport&)> run;
};

namespace {

std::unique_ptr<Model> make_model(const std::string& text, OpsetImports opsets) {
  auto model = std::make_unique<Model>();
  model->ir_version = 10;
  opsets[own_domain] = own_opset;
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin != std::string::npos && text[begin] == '<') {
    model = parse_model(text);
  } else {
    model->graph = parse_graph(text, opsets);
  }
  infer_shapes(*model);
  for (const Node& node : model->graph->nodes()) {
    if (model->functions.empty()) check_node(node);
  }
  return model;
}

std::optional<Subject> find_subject(std::string_view name) {
  for (RuleGroup& group : whole_pipeline()) {
    for (Rule& rule : group.rules) {
      if (rule.name != name) continue;
      const auto run = [rule](Model& model, const RewriteOptions& options, RewriteReport& report) {
        rewrite(*model.graph, std::span(&rule, 1), options, report);
      };
      return Subject{rule.level, run};
    }
    for (const Pass& pass : group.passes) {
      if (pass.name == name) return Subject{pass.level, pass.run};
    }
  }
  return std::nullopt;
}

std::string interface_of(const Graph& graph) {
  std::string text;
  for (const Value* input : graph.inputs())
    text += format("{} {}, ", input->name(), input->type().to_string());
  text += "=> ";
  for (const Value* output : graph.outputs())
    text += format("{} {}, ", output->name(), output->type().to_string());
  return text;
}

std::shared_ptr<const Provider> make_provider() {
  return make_cpu_provider(cpu::best_isa());
}

std::vector<RunValue> compute(std::unique_ptr<Model> model,
                              const std::shared_ptr<const Provider>& provider,
                              const NamedValues& inputs) {
  const Session session(std::move(model),
                        {.providers = {provider}, .optimize = OptimizeLevel::none});
  return session.run(inputs, {});
}

bool have_same_bits(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.size_bytes() == 0 ||
          std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0);
}

std::string describe(const ModelDiff& diff) {
  std::string text;
  for (const UnmatchedNode& node : diff.added) text += " expected " + print_node(*node.node) + ";";
  for (const UnmatchedNode& node : diff.removed) text += " found " + print_node(*node.node) + ";";
  for (const ChangedNode& node : diff.changed) {
    text += " found " + print_node(*node.before) + " expected " + print_node(*node.after) + ";";
  }
  return text + format(" {} weights, {} values differ", diff.weights.size(), diff.values.size());
}

RewriteReport apply(const Subject& subject, const Provider& provider, Model& model) {
  RewriteReport report;
  Workers workers;
  const CompileContext context{.workers = workers};
  ConstantEvaluator evaluator(provider, context);
  subject.run(model, {.has_own_operators = true, .keeps_events = true, .evaluator = &evaluator},
              report);
  verify_names(*model.graph);
  infer_shapes(model);
  return report;
}

class CaseRun {
 public:
  CaseRun(const RuleCase& each, const Subject& subject) : case_(each), subject_(subject) {}

  std::vector<std::string> run() {
    const std::unique_ptr<Model> model = make_model(case_.before, case_.opsets);
    const std::string interface = interface_of(*model->graph);
    const RewriteReport report = apply(subject_, *provider_, *model);
    verify(*model->graph);
    if (interface_of(*model->graph) != interface)
      add(format("inputs and outputs were {} and are {}", interface, interface_of(*model->graph)));
    if (!case_.after) {
      check_refusal(report);
      return std::move(findings_);
    }
    if (report.rewrites == 0) {
      add("the rule does not act");
      for (const RewriteEvent& event : report.events) add(event.reason);
      return std::move(findings_);
    }
    check_text(*model);
    for (const Node& node : model->graph->nodes()) {
      for (const std::string& origin : origins_of(node)) {
        if (origin.empty()) add(format("'{}' has an origin without a name", node.name()));
      }
    }
    if (apply(subject_, *provider_, *model).rewrites != 0) add("a second run changes something");
    check_numbers(*model);
    return std::move(findings_);
  }

 private:
  void add(std::string finding) { findings_.push_back(std::move(finding)); }

  void check_refusal(const RewriteReport& report) {
    if (report.rewrites != 0) return add("the rule acts");
    if (case_.reason.empty()) {
      for (const RewriteEvent& event : report.events)
        add(format("the pattern fits and is refused: {}", event.reason));
      return;
    }
    for (const RewriteEvent& event : report.events) {
      if (event.reason.find(case_.reason) != std::string::npos) return;
    }
    add(report.events.empty() ? "the pattern does not fit"
                              : format("it stays because {}", report.events.front().reason));
  }

  void check_text(const Model& model) {
    const std::unique_ptr<Model> expected = make_model(*case_.after, case_.opsets);
    DiffOptions options;
    options.is_commutative = [](const Node& node) { return has_trait(node, OpTrait::commutative); };
    const ModelDiff diff = diff_models(model, *expected, options);
    if (diff.is_different()) add(describe(diff) + "\n" + print_graph(*model.graph));
  }

  void check_numbers(const Model& rewritten) {
    const std::unique_ptr<Model> before = make_model(case_.before, case_.opsets);
    const NamedValues inputs = make_inputs(*before->graph);
    const std::vector<RunValue> expected =
        compute(make_model(case_.before, case_.opsets), provider_, inputs);
    const std::vector<RunValue> found =
        compute(make_model(print_graph(*rewritten.graph), case_.opsets), provider_, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (subject_.level == OptimizeLevel::basic) {
        if (!have_same_bits(found[i].tensor(), expected[i].tensor()))
          add(format("output {} has other bits", i));
        continue;
      }
      const TensorComparison comparison =
          compare(found[i].tensor(), expected[i].tensor(), case_.tolerance);
      if (!comparison.passed) add(format("output {} differs: {}", i, comparison.difference));
    }
  }

  const RuleCase& case_;
  const Subject& subject_;
  const std::shared_ptr<const Provider> provider_ = make_provider();
  std::vector<std::string> findings_;
};

}  // namespace

struct RewriteTrial::Parts {
  Subject subject;
  std::shared_ptr<const Provider> provider;
};

RewriteTrial::RewriteTrial(std::string_view rule) {
  std::optional<Subject> subject = find_subject(rule);
  if (!subject) throw Error(ErrorCode::invalid, format("there is no rule '{}'", rule));
  parts_ = std::make_unique<Parts>(std::move(*subject), make_provider());
}

RewriteTrial::~RewriteTrial() = default;

std::vector<std::string> RewriteTrial::check(const std::string& graph, std::int64_t opset) {
  const auto& [subject, provider] = *parts_;
  try {
    std::unique_ptr<Model> model = make_model(graph, {{"", opset}});
    if (apply(subject, *provider, *model).rewrites == 0) return {};
    ++acted_;
    verify(*model->graph);
    const NamedValues inputs = make_inputs(*model->graph);
    const std::vector<RunValue> expected =
        compute(make_model(graph, {{"", opset}}), provider, inputs);
    const std::vector<RunValue> found = compute(std::move(model), provider, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!have_same_bits(found[i].tensor(), expected[i].tensor()))
        return {format("output {} has other bits: {}", i, graph)};
    }
    return {};
  } catch (const std::exception& error) {
    return {format("failed: {}: {}", error.what(), graph)};
  }
}

std::vector<std::string> run_rule_case(const RuleCase& each) {
  const std::optional<Subject> subject = find_subject(each.rule);
  if (!subject) return {format("there is no rule '{}'", each.rule)};
  try {
    return CaseRun(each, *subject).run();
  } catch (const std::exception& error) {
    return {format("failed: {}", error.what())};
  }
}

}  // namespace ortool::test
