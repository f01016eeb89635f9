// ortool inspect: structure, cost and validity of a model.
#include "apps/ortool/check_arguments.hpp"
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/inspect/dot.hpp"
#ifndef ORTOOL_MINIMAL
#include "apps/ortool/inspect/check_report.hpp"
#include "apps/ortool/inspect/html_page.hpp"
#include "apps/ortool/inspect/observe_values.hpp"
#include "apps/ortool/inspect/operator_list.hpp"
#include "apps/ortool/inspect/run_diff.hpp"
#endif
#include "apps/ortool/inspect/inspection.hpp"
#include "apps/ortool/inspect/listings.hpp"
#include "apps/ortool/inspect/overview.hpp"
#include "apps/ortool/inspect/quantization_report.hpp"
#include "apps/ortool/inspect/weight_block.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/infer/infer_shapes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_most_elements = 16;

/// Minimal builds run no data sets, and leave checks, differences and lists of operators to others.
bool has_data(const OptionValues& options) {
#ifndef ORTOOL_MINIMAL
  return asks_for_data(options);
#else
  static_cast<void>(options);
  return false;
#endif
}

std::string format_of(const OptionValues& options) {
  return options.flag("json") ? "json" : options.text("format", "text");
}

/// Infers types and shapes as far as possible; unknown operators do not prevent inspection.
void infer_what_is_known(const Invocation& invocation, Model& model) {
  try {
    infer_shapes(model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    invocation.warn(format("shapes are as the file declares them: {}", error.what()));
  }
}

/// Calls `visit` with the names of nodes and values until it returns true; returns whether it did.
template <typename Visit>
bool visit_names(const Model& model, const Visit& visit) {
  for (const Node* node : nodes_in(model)) {
    if (visit(node->name())) return true;
  }
  for (const Value* value : values_in(model)) {
    if (visit(value->name())) return true;
  }
  return false;
}

/// Throws if a glob matches nothing.
void check_selection(const Model& model, std::string_view select) {
  if (visit_names(model, [&](std::string_view name) { return matches_glob(name, select); })) return;
  NearestName nearest(select);
  visit_names(model, [&](std::string_view name) {
    nearest.offer(name);
    return false;
  });
  throw applies_to_nothing(
      format("option --select: nothing in the model matches {}", quote(select)),
      nearest.best().empty()
          ? "* matches any text; `--nodes`, `--weights` and `--values` list the names"
          : format("the nearest name is {}; * matches any text", quote(nearest.best())));
}

/// Writes the requested lists.
void write_lists(const Inspection& inspection, const OptionValues& options, TextSink& out) {
  const Model& model = inspection.model();
  const std::string& select = inspection.options().blocks.select;
  if (options.flag("nodes")) write_nodes(model, select, out);
  if (options.flag("weights")) {
    write_weights(model, select, inspection.options().reads_weights, out);
  }
  if (options.flag("values")) write_values(model, select, out);
#ifndef ORTOOL_MINIMAL
  if (!inspection.ranges.empty()) write_value_ranges(inspection.ranges, out);
#endif
  if (options.flag("quantization")) write_quantization(inspection.quantization(), out);
  if (options.flag("placement")) write_placement(inspection.placement, select, out);
}

bool has_list(const OptionValues& options) {
  return options.flag("nodes") || options.flag("weights") || options.flag("values") ||
         options.flag("quantization") || options.flag("placement");
}

/// --assert and --budget: a failed condition makes the result negative.
void check_conditions(const Invocation& invocation, Inspection& inspection) {
  const OptionValues& options = invocation.options;
  if (!options.has("assert") && !options.has("budget")) return;
  const Metrics metrics(inspection.model(), inspection.summary(), inspection.quantization());
  inspection.assertions = check_assertions(options, metrics);
  for (const Assertion& assertion : inspection.assertions) {
    if (assertion.has_passed) continue;
    invocation.report.verdict = static_cast<int>(ErrorCode::negative_result);
  }
}

InspectionOptions inspection_options(const Invocation& invocation) {
  const OptionValues& options = invocation.options;
  InspectionOptions result;
  result.blocks.select = options.text("select", "*");
  result.blocks.max_elements = options.integer("max-elements", default_most_elements);
  result.reads_weights = !options.flag("no-weights");
  const bool is_picture = format_of(options) == "dot";
  result.has_figures =
      !is_picture || invocation.has_document || options.has("assert") || options.has("budget");
  return result;
}

void inspect(const Invocation& invocation, std::unique_ptr<Model> model, const std::string& path) {
  const OptionValues& options = invocation.options;
  Report& report = invocation.report;
  if (!options.flag("check")) infer_what_is_known(invocation, *model);
  invocation.stop.poll();
  InspectionOptions settings = inspection_options(invocation);
  if (options.has("select")) check_selection(*model, settings.blocks.select);
  PlacementReport placement;
  if (options.flag("placement")) {
    placement = find_placement(invocation, *model, path);
    settings.blocks.providers = providers_by_node(placement);
  }
  const auto inspection = std::make_shared<Inspection>(std::move(model), path, std::move(settings));
  inspection->placement = std::move(placement);
  report.owner = inspection;
  check_conditions(invocation, *inspection);
#ifndef ORTOOL_MINIMAL
  if (has_data(options)) inspection->ranges = observe_values(invocation, inspection->model(), path);
#endif
  if (invocation.has_document) add_payload(*inspection, report.payload);

  const std::string wanted = format_of(options);
  if (wanted == "dot") {
    report.more_text = [inspection](TextSink& out) {
      write_dot(inspection->model(), inspection->options().blocks.select, out);
    };
  } else if (wanted == "jsonl") {
    report.more_text = [inspection](TextSink& out) { write_json_lines(*inspection, out); };
#ifndef ORTOOL_MINIMAL
  } else if (wanted == "html") {
    report.more_text = [inspection, header = report.model,
                        warnings = report.warnings()](TextSink& out) {
      Json document = Json::object().set("model", header).set("warnings", Json::list_of(warnings));
      add_payload(*inspection, document);
      document.set("weight_statistics",
                   weight_blocks(inspection->model(), inspection->options().reads_weights));
      write_page(inspection->path(), document, out);
    };
#endif
  } else if (wanted == "text") {
    if (!inspection->assertions.empty()) report.text += assertions_text(inspection->assertions);
    if (has_list(options) || has_data(options)) {
      report.more_text = [inspection, options = options](TextSink& out) {
        write_lists(*inspection, options, out);
      };
    } else if (!options.flag("check") && inspection->assertions.empty()) {
      report.text += overview_text(*inspection);
    }
  }
}

class InspectCommand : public Command {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view summary() const override { return "show what is in a model"; }
  std::vector<Example> examples() const override {
    return {{"ortool inspect model.onnx", "shapes, operators, size, cost"},
            {"ortool inspect model.onnx --nodes --select 'conv*'", "the nodes whose names match"},
            {"ortool inspect model.onnx --budget memory=64MB,macs=300M",
             "whether it stays within limits"},
#ifndef ORTOOL_MINIMAL
            {"ortool inspect model.onnx --check", "whether it is valid"},
#endif
#ifndef ORTOOL_MINIMAL
            {"ortool inspect old.onnx --diff new.onnx", "what has changed, ignoring names"},
            {"ortool inspect a.onnx b.onnx --operators > operators.txt",
             "what a minimal build needs to run them"},
#endif
            {"ortool inspect model.onnx --placement", "provider and kernel of each node"}};
  }
  std::vector<ArgumentSpec> arguments() const override {
    return {model_argument(),
            {.name = "MORE",
             .help = "with --operators: more models",
             .is_required = false,
             .repeats = true}};
  }
  std::vector<OptionGroup> options() const override;
#ifndef ORTOOL_MINIMAL
  std::vector<std::string_view> frequent_options() const override {
    return {"nodes", "weights",      "values", "placement", "select", "check", "data",
            "diff",  "quantization", "assert", "budget",    "dim",    "format"};
  }
  std::vector<std::string_view> more_formats() const override {
    return {"jsonl", "dot", "html"};
  }
#else
  std::vector<std::string_view> more_formats() const override {
    return {"jsonl", "dot"};
  }
#endif
  void run(Invocation& invocation) const override;
};

std::vector<OptionGroup> InspectCommand::options() const {
  const OptionGroup lists = {
      "What to show",
      {
          {.name = "nodes", .help = "list the nodes"},
          {.name = "weights", .help = "list the stored tensors"},
          {.name = "values", .help = "list the values that flow between nodes"},
          {.name = "placement",
           .help = "which provider and kernel computes each node, and why the others do not"},
          {.name = "select", .value = "GLOB", .help = "only names that match, such as 'layer1/*'"},
#ifndef ORTOOL_MINIMAL
          {.name = "check", .help = "report every violation of ONNX's rules; exit 2 for errors"},
          {.name = "data",
           .value = "SET",
           .help = "the range of every value on real inputs: a data set as for `run --data`",
           .completes = Completion::folders},
#endif
          {.name = "no-weights", .help = "never read external data"},
#ifndef ORTOOL_MINIMAL
          {.name = "diff",
           .value = "OTHER.onnx",
           .help = "compare with another model, ignoring names and order; exit 1 if different",
           .completes = Completion::files},
#endif
          {.name = "quantization", .help = "list scales, zero points and float32 subgraphs"},
#ifndef ORTOOL_MINIMAL
          {.name = "operators",
           .help = "list the operators that a minimal build needs to run the models"},
#endif
          {.name = "max-elements",
           .value = "N",
           .help = "elements of tensor attributes in JSON (default: 16)",
           .range = whole_from(0, 0x1p40)},
      }};
  const OptionGroup conditions = {
      "Conditions (exit 1 when one does not hold)",
      {
          {.name = "assert",
           .value = "CONDITION",
           .help = "such as 'ops.Conv<=20', 'opset>=17', 'denormal_weights==0'",
           .repeats = true,
           .is_list = true},
          {.name = "budget",
           .value = "LIMITS",
           .help = "limits of memory, macs, weights, parameters, nodes: memory=256MB,macs=300M",
           .is_list = true},
      }};
  OptionGroup session = {"Session (with --placement and --data)", {}};
  for (const OptionGroup& group : {provider_options(), execution_options()}) {
    for (const OptionSpec& option : group.options) {
      if (!option.is_planned) session.options.push_back(option);
    }
  }
#ifndef ORTOOL_MINIMAL
  return {lists, conditions, shape_options(), input_options(), session};
#else
  return {lists, conditions, shape_options(), session};
#endif
}

/// Run options only apply where something runs or is placed.
void check_run_settings(const OptionValues& options) {
  constexpr std::string_view hint = "it applies to --placement and --data";
  check_execution_options(options);
  if (options.flag("placement") && options.flag("no-weights"))
    throw no_effect("placement", "with --no-weights", std::string(hint));
  if (options.flag("placement") || has_data(options)) return;
  refuse_any(options,
             {"provider", "provider-option", "node-provider", "strict-provider", "threads",
              "execution", "optimize", "precision", "keep-float", "keep-float-op"},
             "without --placement or --data", hint);
}

/// A drawing only shows nodes and edges.
void check_picture_options(const OptionValues& options) {
  refuse_any(options, {"weights", "quantization", "data", "placement", "max-elements"},
             "with --format dot", "leave the option out, or ask for --format text, json or html");
}

void InspectCommand::run(Invocation& invocation) const {
  const OptionValues& options = invocation.options;
#ifndef ORTOOL_MINIMAL
  if (options.flag("operators")) return list_operators(invocation);
#endif
  if (invocation.arguments.size() > 1)
    throw unexpected_argument(*this, invocation.arguments[1], options);
  const std::string wanted = format_of(options);
  if (wanted == "dot" && !invocation.has_document) check_picture_options(options);
  check_run_settings(options);
  const bool is_selective = has_list(options) || options.has("diff") || has_data(options) ||
                            invocation.has_document || wanted != "text";
  if (options.has("select") && !is_selective) {
    throw applies_to_nothing("option --select has nothing to select from",
                             "add --nodes, --weights or --values");
  }
  LoadOptions load_options;
  load_options.read_external_data = !options.flag("no-weights");
  load_options.cap = &invocation.memory;
  const Progress progress(invocation.task(), "inspecting");
  LoadedModel loaded;
#ifndef ORTOOL_MINIMAL
  if (options.flag("check") && !options.has("diff")) {
    loaded = check_model_argument(invocation, load_options, wanted == "text");
    invocation.stop.poll();
    return in_file(loaded.path, [&] { inspect(invocation, std::move(loaded.model), loaded.path); });
  }
#endif
  loaded = load_model_argument(invocation, load_options);
#ifndef ORTOOL_MINIMAL
  if (options.has("diff")) return run_diff(invocation, loaded, load_options);
#endif
  apply_shape_options(options, *loaded.model);
  invocation.stop.poll();
  in_file(loaded.path, [&] { inspect(invocation, std::move(loaded.model), loaded.path); });
}

}  // namespace

std::unique_ptr<const Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace ortool
