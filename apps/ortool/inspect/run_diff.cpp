// Runs inspect --diff: loads the other model and reports.
#include "apps/ortool/inspect/run_diff.hpp"

#include "apps/ortool/inspect/diff_report.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/diff.hpp"
#include "libcore/ops/attribute_default.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

[[noreturn]] void refuse_option(std::string_view option) {
  throw applies_to_nothing(format("option {} cannot be combined with --diff", option),
                           "use one at a time; --diff takes --no-weights, and writes text or JSON");
}

void check_options(const OptionValues& options) {
  for (const std::string_view name :
       {"nodes", "weights", "values", "check", "select", "dim", "shape", "max-elements", "assert",
        "budget", "data", "placement"}) {
    if (options.has(name)) refuse_option("--" + std::string(name));
  }
  const std::string wanted = options.text("format", "text");
  if (wanted != "text" && wanted != "json") refuse_option("--format " + wanted);
}

}  // namespace

void run_diff(const Invocation& invocation, const LoadedModel& loaded,
              const LoadOptions& load_options) {
  const OptionValues& options = invocation.options;
  check_options(options);
  const std::string path = options.text("diff");
  if (path == "-" && loaded.path == "-") {
    throw Error(ErrorCode::invalid, "option --diff: standard input holds one model only",
                "give the other model as a file")
        .with_id("usage.value");
  }
  const LoadedModel other = load_model_at(path, load_options);
  for (const std::string& warning : other.model->warnings) {
    invocation.warn(format("{}: {}", other.path, warning));
  }
  DiffOptions diff_options;
  diff_options.reads_weights = !options.flag("no-weights");
  diff_options.stop = &invocation.stop;
  diff_options.is_default = has_default_value;
  diff_options.is_commutative = [](const Node& node) {
    return has_trait(node, OpTrait::commutative);
  };
  const ModelDiff diff = diff_models(*loaded.model, *other.model, diff_options);
  Report& report = invocation.report;
  if (invocation.has_document) report.payload.set("diff", diff_block(diff, other.path));
  report.text += diff_text(diff, loaded.path, other.path);
  if (diff.is_different()) report.verdict = static_cast<int>(ErrorCode::negative_result);
}

}  // namespace ortool
