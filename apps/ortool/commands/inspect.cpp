// ortool inspect: what is in a model, and whether it is valid.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/inspect/check_model.hpp"
#include "apps/ortool/inspect/glob.hpp"
#include "apps/ortool/inspect/graph_block.hpp"
#include "apps/ortool/inspect/overview.hpp"
#include "apps/ortool/inspect/summary_block.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/infer/infer_shapes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_most_elements = 16;

/// Types and shapes as far as they go; an operator nobody knows is no reason not to look.
void infer_what_is_known(const Invocation& invocation, Model& model) {
  try {
    infer_shapes(model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    invocation.warn(format("shapes are as the file declares them: {}", error.what()));
  }
}

/// Throws when there is a finding that makes the model invalid.
void report_findings(Report& report, const std::vector<Error>& problems) {
  Json list = Json::list();
  TextTable table;
  Error all(ErrorCode::invalid, "the model is not valid", "stdout lists every finding");
  for (const Error& problem : problems) {
    const bool is_invalid = problem.code() == ErrorCode::invalid;
    const std::string_view severity = is_invalid ? "error" : "note";
    const std::string rule = problem.id().empty() ? "model" : problem.id();
    list.add(Json::object()
                 .set("rule", rule)
                 .set("severity", severity)
                 .set("node", problem.node().empty() ? Json() : Json(problem.node()))
                 .set("message", problem.what())
                 .set("hint", problem.hint().empty() ? Json() : Json(problem.hint())));
    table.add_row({std::string(severity), rule, problem.what()});
    if (is_invalid) all.add_part(problem);
  }
  report.payload.set("findings", std::move(list));
  report.text += table.is_empty() ? "no findings\n" : table.to_string();
  if (!all.parts().empty()) throw all.with_id("model.invalid");
}

/// Throws when a glob chooses nothing.
void check_selection(const Model& model, std::string_view select) {
  for (const Node& node : model.graph->nodes()) {
    if (matches_glob(node.name(), select)) return;
  }
  for (const Value* value : model.graph->values()) {
    if (matches_glob(value->name(), select)) return;
  }
  throw Error(ErrorCode::invalid,
              format("option --select: nothing in the model fits {}", quote(select)),
              "* stands for any text; `--nodes`, `--weights` and `--values` list the names")
      .with_id("usage.applies_to_nothing");
}

class InspectCommand : public Command {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view summary() const override { return "show what is in a model"; }
  std::vector<Example> examples() const override {
    return {{"ortool inspect model.onnx", "inputs, outputs, operators, size and cost"},
            {"ortool inspect model.onnx --nodes --select 'conv*'", "the nodes of some names"},
            {"ortool inspect model.onnx --dim batch=8 --json", "all of it, for programs"},
            {"ortool inspect model.onnx --check", "whether it keeps ONNX's rules"}};
  }
  std::vector<ArgumentSpec> arguments() const override { return {model_argument()}; }
  std::vector<OptionGroup> options() const override;
  std::vector<std::string_view> planned_formats() const override {
    return {"jsonl", "dot", "html"};
  }
  void run(Invocation& invocation) const override;
};

std::vector<OptionGroup> InspectCommand::options() const {
  const OptionGroup lists = {
      "What to show",
      {
          {.name = "nodes", .help = "list the nodes"},
          {.name = "weights", .help = "list the stored tensors"},
          {.name = "values", .help = "list the values that flow between nodes"},
          {.name = "select", .value = "GLOB", .help = "only names that fit, such as 'layer1/*'"},
          {.name = "check", .help = "report everything that breaks ONNX's rules; exit 2 when so"},
          {.name = "no-weights", .help = "never read external data"},
          {.name = "max-elements",
           .value = "N",
           .help = "of tensor attributes in JSON (default: 16)"},
      }};
  const OptionGroup planned = {
      "Planned",
      {
          {.name = "placement", .is_planned = true},
          {.name = "diff", .value = "OTHER.onnx", .is_planned = true},
          {.name = "data", .value = "DIR", .is_planned = true},
          {.name = "assert", .value = "CONDITION", .repeats = true, .is_planned = true},
          {.name = "budget", .value = "LIMITS", .is_planned = true},
      }};
  return {lists, shape_options(), planned};
}

void InspectCommand::run(Invocation& invocation) const {
  const OptionValues& options = invocation.options;
  Report& report = invocation.report;
  const bool has_list = options.flag("nodes") || options.flag("weights") || options.flag("values");
  if (options.has("select") && !has_list && !invocation.has_document) {
    throw Error(ErrorCode::invalid, "option --select has nothing to choose from",
                "add --nodes, --weights or --values")
        .with_id("usage.applies_to_nothing");
  }
  const bool reads_weights = !options.flag("no-weights");
  LoadOptions load_options;
  load_options.read_external_data = reads_weights;
  const Progress progress(options, invocation.messages, "inspecting");
  const LoadedModel loaded = load_model_argument(invocation, load_options);
  Model& model = *loaded.model;
  apply_shape_options(options, model);
  invocation.stop.poll();
  in_file(loaded.path, [&] {
    if (options.flag("check")) {
      report_findings(report, find_problems(model, invocation.stop));
    } else {
      infer_what_is_known(invocation, model);
    }
    invocation.stop.poll();
    BlockOptions block_options;
    block_options.select = options.text("select", "*");
    block_options.most_elements =
        options.integer("max-elements", default_most_elements, 0, std::int64_t{1} << 40);
    if (options.has("select")) check_selection(model, block_options.select);
    const Summary summary = summarize(model, reads_weights);
    if (invocation.has_document) {
      report.payload.set("graph", graph_block(*model.graph, block_options, MacCounter(model)))
          .set("functions", functions_block(model, block_options))
          .set("summary", summary_block(summary));
    }
    if (options.flag("nodes")) report.text += nodes_text(model, block_options.select);
    if (options.flag("weights")) report.text += weights_text(model, block_options.select);
    if (options.flag("values")) report.text += values_text(*model.graph, block_options.select);
    const bool has_text = has_list || options.flag("check");
    if (!has_text) report.text += overview_text(model, summary, loaded.path);
  });
}

}  // namespace

std::unique_ptr<const Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace ortool
