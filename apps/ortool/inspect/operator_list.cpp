// Operator list: lowers the models, and notes the operators of every step.
#include "apps/ortool/inspect/operator_list.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/lower/observed_lowering.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

/// Pairs of domain and operator, in order.
using OperatorSet = std::set<std::pair<std::string, std::string>>;

void add_operators(const Model& model, OperatorSet& operators) {
  for (const Node* node : nodes_in(model))
    operators.emplace(std::string(node->domain()), std::string(node->op_type()));
}

/// What rules have made, although others of their group may have replaced it.
void add_made_operators(const RewriteReport& report, const Graph& graph, OperatorSet& operators) {
  const std::vector<RuleGroup> groups = pipeline();
  for (const PassRecord& record : report.passes) {
    if (record.applied == 0) continue;
    for (const RuleGroup& group : groups) {
      for (const Rule& rule : group.rules) {
        if (rule.name != record.name) continue;
        for (const std::string_view op_type : rule.makes) {
          const char* domain = domain_for(op_type, graph, true);
          if (domain != nullptr) operators.emplace(domain, op_type);
        }
      }
    }
  }
}

/// What a session with kernels up to `isa` makes of the file.
void add_session_operators(const Invocation& invocation, const std::string& path,
                           const std::string& isa, OperatorSet& operators) {
  LoadedModel loaded = load_model_at(path, {.cap = &invocation.memory});
  apply_shape_options(invocation.options, *loaded.model);
  const std::vector<std::shared_ptr<const Provider>> providers = {
      cpu_provider_in(Precision::float32, isa)};
  LoweringOptions options;
  options.providers = providers;
  options.stop = &invocation.stop;
  Workers alone;
  const LoweredModel lowered =
      lower(*loaded.model, options, {.workers = alone, .cap = &invocation.memory},
            [&](const Model& model) { add_operators(model, operators); });
  add_made_operators(lowered.report.rewrites, *loaded.model->graph, operators);
}

void check_list_options(const OptionValues& options) {
  constexpr std::string_view hint = "--operators takes --dim and --shape";
  refuse_any(options,
             {"nodes", "weights", "values", "placement", "select", "check", "data", "no-weights",
              "diff", "quantization", "max-elements", "assert", "budget"},
             "with --operators", hint);
  const std::string wanted = options.text("format", "text");
  if (wanted != "text" && wanted != "json")
    throw no_effect("format", format("{} with --operators", wanted), "it writes text or JSON");
}

Json list_of(const OperatorSet& operators) {
  Json list = Json::list();
  for (const auto& [domain, op_type] : operators)
    list.add(Json::object().set("domain", domain).set("op_type", op_type));
  return list;
}

}  // namespace

void list_operators(Invocation& invocation) {
  check_list_options(invocation.options);
  // Layouts depend on shapes, which runs may give.
  OperatorSet operators = {{"ortool", "Reorder"}};
  std::string names;
  for (const std::string& argument : invocation.arguments) {
    if (argument == "-") {
      throw Error(ErrorCode::invalid,
                  "option --operators: standard input cannot be read once for each instruction set",
                  "give the model as a file")
          .with_id("usage.value");
    }
    const LoadedModel loaded = load_model_at(argument, {.cap = &invocation.memory});
    if (&argument == &invocation.arguments.front()) describe_model_argument(invocation, loaded);
    in_file(loaded.path, [&] {
      add_operators(*loaded.model, operators);
      for (const std::string& isa : isa_names()) {
        invocation.stop.poll();
        add_session_operators(invocation, loaded.path, isa, operators);
      }
    });
    names += format("#   {}\n", shorten(loaded.path));
  }
  Report& report = invocation.report;
  report.payload.set("operators", list_of(operators));
  report.text = format("# operators for a build with -DORTOOL_PROFILE=minimal, of these models:\n{}",
                       names);
  for (const auto& [domain, op_type] : operators)
    report.text += format("{} {}\n", domain.empty() ? "ai.onnx" : domain, op_type);
}

}  // namespace ortool
