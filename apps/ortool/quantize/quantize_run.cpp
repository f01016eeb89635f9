// The steps of the command in their order: read, prepare, quantise by the mode, write, tell.
#include "apps/ortool/quantize/quantize_run.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/made_up_sizes.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/options/written_files.hpp"
#include "apps/ortool/quantize/quantize_report.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/format.hpp"
#include "libcore/dataset/random_samples.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/symbol_sum.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/opset/convert_opset.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"
#include "libcore/quantize/pipeline/enough_memory.hpp"
#include "libcore/quantize/pipeline/plan_file.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/pipeline/quantize_with_data.hpp"
#include "libcore/quantize/pipeline/quantize_without_data.hpp"

namespace ortool {
namespace {

/// The first opset with scales a channel, or with types of 4 and 16 bits and a scale a block.
std::int64_t least_opset(bool needs_small_types) {
  return opset_of_attribute("QuantizeLinear", needs_small_types ? "block_size" : "axis");
}

/// Quantised weights that wait in memory for the model to be written; the others on the disk.
constexpr std::int64_t most_levels_in_memory = std::int64_t{16} << 20;

/// Beside the model, where there must be room for them anyway.
std::string folder_beside(const SaveTarget& target) {
  std::error_code failure;
  const auto folder = target.path == "-" ? std::filesystem::temp_directory_path(failure)
                                         : std::filesystem::path(target.path).parent_path();
  return folder.string();
}

bool needs_late_opset(const QuantizeSettings& settings) {
  const auto is_byte = [](DataType type) {
    return type == DataType::int8 || type == DataType::uint8;
  };
  const bool has_blocks = settings.block_size > 0 && !settings.has_integer_operators;
  return has_blocks || !is_byte(settings.weights.type) || !is_byte(settings.activations.type);
}

/// Of the model that was read, with what lies beside it; 0 where that is not known.
std::int64_t file_bytes_of(const LoadedModel& loaded) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(loaded.path, failure);
  if (failure) return 0;
  auto bytes = static_cast<std::int64_t>(size);
  for (const Graph* graph : graphs_in(*loaded.model->graph)) {
    for (const Value* value : graph->values()) {
      if (value->is_external) bytes += value->constant().size_bytes();
    }
  }
  return bytes;
}

void prepare(const Invocation& invocation, const QuantizeSettings& settings,
             const QuantizeMachine& machine, Model& model, QuantizeResult& result) {
  PrepareOptions options;
  options.provider = machine.providers.back().get();
  options.pool = &machine.pool;
  options.cap = &invocation.memory;
  options.stop = &invocation.stop;
  options.least_opset = least_opset(needs_late_opset(settings));
  if (!settings.is_per_channel && !needs_late_opset(settings)) {
    const bool is_dynamic = settings.mode == QuantizeMode::dynamically;
    options.fallback_opset = opset_of(is_dynamic ? "DynamicQuantizeLinear" : "QuantizeLinear");
  }
  options.in_float32 = settings.mode != QuantizeMode::weights_only;
  result.preparation = prepare_model(model, options);
  model.ir_version =
      std::max(model.ir_version, ir_version_of_opset(result.preparation.opset_after));
}

/// What the file that is written has otherwise than the one that was read.
void tell_preparation(const Invocation& invocation, const Preparation& done) {
  if (done.settled_inputs > 0) {
    invocation.warn(format("{} inputs that have a default become constants", done.settled_inputs));
  }
  if (done.opset_after != done.opset_before) {
    invocation.warn(format("opset {} becomes {}, in which scales and types can be said",
                           done.opset_before, done.opset_after));
  }
  for (const DataType type : done.types_converted) {
    invocation.warn(
        format("products of {} become products of float32, between casts at inputs and outputs",
               name_of(type)));
  }
}

/// Whether the model holds nothing in fewer bits than before, and no node computes so.
bool is_left_in_floats(const QuantizeResult& result) {
  if (result.after_bytes.levels > result.before_bytes.levels) return false;
  const std::vector<ReportedNode>& nodes = result.plan.nodes;
  return result.settings->mode == QuantizeMode::weights_only ||
         std::none_of(nodes.begin(), nodes.end(),
                      [](const ReportedNode& node) { return node.is_quantized; });
}

/// Reads the model once more, since what preparation made of it serves nothing; null where it came
/// through standard input, which is read once.
std::unique_ptr<Model> read_again(const Invocation& invocation, const LoadedModel& loaded,
                                  QuantizeResult& result) {
  if (loaded.path == "-") return nullptr;
  std::unique_ptr<Model> model = load_model_at(loaded.path).model;
  invocation.warn("so the model is written as it was read, not prepared");
  Preparation& done = result.preparation;
  done.nodes_after = done.nodes_before;
  done.weights_after = done.weights_before;
  done.opset_after = done.opset_before;
  done.rewrites = 0;
  done.settled_inputs = 0;
  done.types_converted.clear();
  result.after_bytes = result.before_bytes;
  return model;
}

/// A model that somebody gives by mistake, or on purpose for what is still float.
void tell_quantized(const Invocation& invocation, const Model& model) {
  std::int64_t count = 0;
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      const std::string_view type = node.op_type();
      count += type.starts_with("QLinear") || type.ends_with("QuantizeLinear") ||
                       type.ends_with("Integer") || type.starts_with("Quantized")
                   ? 1
                   : 0;
    }
  }
  if (count == 0) return;
  invocation.warn(
      format("the model is quantised already: {} nodes make or read integers, and stay as they are",
             count));
}

/// That the files beside the model can be written, before hours of work.
void check_other_files(const Invocation& invocation) {
  const OptionValues& options = invocation.options;
  for (const std::string& path : options.all("calibration-cache"))
    check_can_be_written("calibration-cache", path);
  if (!options.has("plan-out")) return;
  const std::string path = options.text("plan-out");
  if (path == "-") {
    throw Error(ErrorCode::invalid, "option --plan-out: a plan goes to a file",
                "name one, such as plan.json")
        .with_id("usage.value");
  }
  check_can_be_written("plan-out", path);
  check_is_no_other_file(invocation, "plan-out", path);
}

/// The options, with --dim for what made-up inputs need where 1 is too small for the model.
OptionValues with_sizes(const Invocation& invocation, const QuantizeSettings& settings,
                        const Model& model) {
  OptionValues options = invocation.options;
  if (!settings.has_random_data) return options;
  const auto known = read_dimension_numbers(options, input_symbols(model));
  const auto given = options.all("dim");
  std::vector<std::string> sizes(given.begin(), given.end());
  const InputSizes chosen = choose_sizes(invocation, model, known);
  const auto number_of = [&](const std::string& name) {
    const auto found = chosen.find(name);
    return found != chosen.end() ? std::optional(found->second) : std::nullopt;
  };
  for (const std::string& name : free_dimension_names(model.graph->inputs())) {
    if (chosen.empty() || known.contains(name)) continue;
    std::optional<std::int64_t> size = number_of(name);
    if (!size) size = called_sum(name, number_of);
    if (size) sizes.push_back(format("{}={}", name, *size));
  }
  if (!sizes.empty()) options.set("dim", std::move(sizes));
  return options;
}

}  // namespace

void run_quantize(Invocation& invocation) {
  const OptionValues& options = invocation.options;
  const TaskContext task = invocation.task();
  const PlanFile plan =
      options.has("plan") ? read_plan_file(options.text("plan"), invocation.memory) : PlanFile();
  const QuantizeSettings settings = read_quantize_settings(invocation, plan.settings);
  const int threads = thread_count(options);
  ThreadPool pool(threads);
  const QuantizeMachine machine{choose_providers(invocation), pool, threads};
  LoadedModel loaded = load_model_argument(invocation);
  std::optional<SaveTarget> target;
  if (!settings.calibrates_only) target = read_save_target(invocation, loaded);
  check_other_files(invocation);
  QuantizeResult result;
  result.settings = &settings;
  in_file(loaded.path, [&] {
    Model& model = *loaded.model;
    const auto list = [&](std::string_view option) {
      const auto given = options.all(option);
      return std::vector<std::string>(given.begin(), given.end());
    };
    const NodePatterns patterns({list("exclude"), list("only"), list("exclude-op")}, model);
    tell_quantized(invocation, model);
    result.before_bytes = stored_bytes(model);
    result.file_bytes = file_bytes_of(loaded);
    const DeclaredTypes declared(model);
    // Where outputs are compared at all.
    const bool has_data = options.has("calibration-data") || options.has("validation-data") ||
                          options.flag("allow-random-calibration");
    const std::unique_ptr<Model> original = has_data ? copy_model(model) : nullptr;
    prepare(invocation, settings, machine, model, result);
    const OptionValues sized = with_sizes(invocation, settings, model);
    const Invocation of_data{sized,
                             invocation.arguments,
                             invocation.commands,
                             invocation.report,
                             invocation.messages,
                             invocation.stop,
                             invocation.memory,
                             invocation.has_document,
                             invocation.words};
    const QuantizeData data = read_quantize_data(of_data, settings, model.graph->inputs());
    const CalibrationCache cache(task, data, loaded.path, model);
    LevelStore store(target ? folder_beside(*target) : std::string(), most_levels_in_memory);
    const QuantizeContext context{
        task,         settings, data,        machine, patterns,
        plan.choices, cache,    loaded.path, result,  target ? &store : nullptr};
    name_enough_memory(context, model, [&] {
      if (settings.mode == QuantizeMode::statically) {
        quantize_with_data(context, model);
      } else {
        quantize_without_data(context, model);
      }
      if (target && original != nullptr && !result.end_to_end.outputs.empty() && !result.is_refused)
        compare_with_original(context, *original, model);
    });
    if (!target) return;
    if (options.has("plan-out")) write_plan_file(options.text("plan-out"), result);
    result.after_bytes = stored_bytes(model);
    if (result.is_refused) return;
    declared.restore(model, false);
    std::unique_ptr<Model> as_read;
    if (is_left_in_floats(result)) as_read = read_again(invocation, loaded, result);
    tell_preparation(invocation, result.preparation);
    result.output_path = target->path;
    result.output_bytes = save_to(*target, as_read ? *as_read : model);
  });
  add_quantize_report(invocation.report, result);
  if (result.is_refused) invocation.report.verdict = static_cast<int>(ErrorCode::negative_result);
  if (!target || target->path != "-") return;
  // The model alone goes there.
  if (result.is_refused) write_to_stderr(invocation.report.text);
  invocation.report.text.clear();
}

}  // namespace ortool
