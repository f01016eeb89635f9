// ortool inspect: what is in a model, and whether it is valid.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/inspect/check_report.hpp"
#include "apps/ortool/inspect/dot.hpp"
#include "apps/ortool/inspect/glob.hpp"
#include "apps/ortool/inspect/graph_block.hpp"
#include "apps/ortool/inspect/listings.hpp"
#include "apps/ortool/inspect/overview.hpp"
#include "apps/ortool/inspect/run_diff.hpp"
#include "apps/ortool/inspect/summary_block.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/infer/infer_shapes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_most_elements = 16;

std::string format_of(const OptionValues& options) {
  return options.flag("json") ? "json" : options.text("format", "text");
}

/// Types and shapes as far as they go; an operator nobody knows is no reason not to look.
void infer_what_is_known(const Invocation& invocation, Model& model) {
  try {
    infer_shapes(model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    invocation.warn(format("shapes are as the file declares them: {}", error.what()));
  }
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

/// What the report's streamed parts refer to.
struct Inspected {
  Inspected(std::unique_ptr<Model> taken, BlockOptions options)
      : model(std::move(taken)), blocks(*model, std::move(options)) {}
  const std::unique_ptr<Model> model;
  const BlockMaker blocks;
};

/// The lists that were asked for, or else the overview.
void add_text(const Invocation& invocation, std::shared_ptr<const Inspected> inspected,
              const Summary& summary, const std::string& path) {
  const OptionValues& options = invocation.options;
  Report& report = invocation.report;
  const bool has_nodes = options.flag("nodes");
  const bool has_weights = options.flag("weights");
  const bool has_values = options.flag("values");
  if (!has_nodes && !has_weights && !has_values) {
    if (!options.flag("check")) report.text += overview_text(*inspected->model, summary, path);
    return;
  }
  report.more_text = [=, select = options.text("select", "*"),
                      reads_weights = !options.flag("no-weights")](TextSink& out) {
    const Model& model = *inspected->model;
    if (has_nodes) write_nodes(model, select, out);
    if (has_weights) write_weights(model, select, reads_weights, out);
    if (has_values) write_values(model, select, out);
  };
}

void inspect(const Invocation& invocation, std::unique_ptr<Model> taken, const std::string& path) {
  const OptionValues& options = invocation.options;
  Report& report = invocation.report;
  const std::string wanted = format_of(options);
  if (!options.flag("check")) infer_what_is_known(invocation, *taken);
  invocation.stop.poll();
  BlockOptions block_options;
  block_options.select = options.text("select", "*");
  block_options.most_elements =
      options.integer("max-elements", default_most_elements, 0, std::int64_t{1} << 40);
  if (options.has("select")) check_selection(*taken, block_options.select);
  const auto inspected = std::make_shared<const Inspected>(std::move(taken), block_options);
  const Model& model = *inspected->model;
  report.owner = inspected;

  if (wanted == "dot") {
    report.more_text = [inspected, select = block_options.select](TextSink& out) {
      write_dot(*inspected->model, select, out);
    };
    if (!invocation.has_document) return;
  }
  const Summary summary = summarize(model, !options.flag("no-weights"));
  if (wanted == "jsonl") {
    report.more_text = [inspected, block = summary_block(summary)](TextSink& out) {
      Json line = Json::object().set("kind", "summary");
      for (const auto& [key, value] : block.members()) line.set(key, value);
      line.write_compact(out);
      out += '\n';
      inspected->blocks.write_lines(out);
    };
  }
  if (invocation.has_document) {
    report.payload.set("graph", inspected->blocks.graph(*model.graph))
        .set("functions", inspected->blocks.functions())
        .set("summary", summary_block(summary));
  }
  if (wanted == "text") add_text(invocation, inspected, summary, path);
}

class InspectCommand : public Command {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view summary() const override { return "show what is in a model"; }
  std::vector<Example> examples() const override {
    return {{"ortool inspect model.onnx", "inputs, outputs, operators, size and cost"},
            {"ortool inspect model.onnx --nodes --select 'conv*'", "the nodes of some names"},
            {"ortool inspect model.onnx --dim batch=8 --json", "all of it, for programs"},
            {"ortool inspect model.onnx --check", "whether it keeps ONNX's rules"},
            {"ortool inspect old.onnx --diff new.onnx", "what has changed, whatever the names"}};
  }
  std::vector<ArgumentSpec> arguments() const override { return {model_argument()}; }
  std::vector<OptionGroup> options() const override;
  std::vector<std::string_view> more_formats() const override { return {"jsonl", "dot"}; }
  std::vector<std::string_view> planned_formats() const override { return {"html"}; }
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
          {.name = "diff",
           .value = "OTHER.onnx",
           .help = "what is different in another model, names and order aside; exit 1 when so",
           .completes = Completes::files},
          {.name = "max-elements",
           .value = "N",
           .help = "of tensor attributes in JSON (default: 16)"},
      }};
  const OptionGroup planned = {
      "Planned",
      {
          {.name = "placement", .is_planned = true},
          {.name = "data", .value = "DIR", .is_planned = true},
          {.name = "assert", .value = "CONDITION", .repeats = true, .is_planned = true},
          {.name = "budget", .value = "LIMITS", .is_planned = true},
      }};
  return {lists, shape_options(), planned};
}

void InspectCommand::run(Invocation& invocation) const {
  const OptionValues& options = invocation.options;
  const std::string wanted = format_of(options);
  const bool has_list = options.flag("nodes") || options.flag("weights") || options.flag("values");
  if (options.has("select") && !has_list && !options.has("diff") && !invocation.has_document &&
      wanted == "text") {
    throw Error(ErrorCode::invalid, "option --select has nothing to choose from",
                "add --nodes, --weights or --values")
        .with_id("usage.applies_to_nothing");
  }
  LoadOptions load_options;
  load_options.read_external_data = !options.flag("no-weights");
  const Progress progress(options, invocation.messages, "inspecting");
  LoadedModel loaded;
  if (options.flag("check") && !options.has("diff")) {
    loaded = check_model_argument(invocation, load_options, wanted == "text");
  } else {
    loaded = load_model_argument(invocation, load_options);
    if (options.has("diff")) return run_diff(invocation, loaded, load_options);
    apply_shape_options(options, *loaded.model);
  }
  invocation.stop.poll();
  in_file(loaded.path, [&] { inspect(invocation, std::move(loaded.model), loaded.path); });
}

}  // namespace

std::unique_ptr<const Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace ortool
