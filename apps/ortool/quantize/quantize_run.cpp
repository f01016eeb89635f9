// Runs quantize: read, prepare, quantize by the mode, write, report.
#include "apps/ortool/quantize/quantize_run.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/random_sizes.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/options/written_files.hpp"
#include "apps/ortool/parts/part_task.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/quantize/errors_run.hpp"
#include "apps/ortool/quantize/quantize_report.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "libcore/api/quantize.hpp"
#include "libcore/base/format.hpp"
#include "libcore/dataset/random_samples.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/symbol_sum.hpp"
#include "libcore/quantize/parts/calibration_parts.hpp"
#include "libcore/quantize/pipeline/plan_file.hpp"

namespace ortool {
namespace {

/// Quantized weights kept in memory until the model is written; the others go to the disk.
constexpr std::int64_t max_weight_bytes_in_memory = std::int64_t{16} << 20;

/// Next to the model, where there must be space for them anyway.
std::string folder_beside(const SaveTarget& target) {
  std::error_code failure;
  const auto folder = target.path == "-" ? std::filesystem::temp_directory_path(failure)
                                         : std::filesystem::path(target.path).parent_path();
  return folder.string();
}

/// Of the model that was read, with what lies beside it; 0 where that is not known.
std::int64_t file_bytes_of(const LoadedModel& loaded) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(loaded.path, failure);
  if (failure) return 0;
  auto bytes = static_cast<std::int64_t>(size);
  for (const Value* value : values_in(*loaded.model)) {
    if (value->is_external) bytes += value->constant().size_bytes();
  }
  return bytes;
}

/// What the file that is written has otherwise than the one that was read.
void tell_preparation(const Invocation& invocation, const Preparation& done) {
  if (done.constant_inputs > 0) {
    invocation.note(format("{} inputs with a default become constants", done.constant_inputs));
  }
  if (done.opset_after != done.opset_before) {
    invocation.note(format("opset {} becomes {}, which can express the scales and types",
                           done.opset_before, done.opset_after));
  }
  for (const DataType type : done.types_converted) {
    invocation.note(format("{} products become float32 products, with casts at inputs and outputs",
                           name_of(type)));
  }
}

/// Whether nothing is stored or computed in lower precision.
bool is_left_in_floats(const QuantizeResult& result) {
  if (result.after_bytes.quantized > result.before_bytes.quantized) return false;
  const std::vector<ReportedNode>& nodes = result.plan.nodes;
  return result.settings.mode == QuantizeMode::weights_only ||
         std::none_of(nodes.begin(), nodes.end(),
                      [](const ReportedNode& node) { return node.is_quantized; });
}

/// Reads the model again, since its preparation served no purpose; null if it came
/// from standard input, which is read once.
std::unique_ptr<Model> read_again(const Invocation& invocation, const LoadedModel& loaded,
                                  QuantizeResult& result) {
  if (loaded.path == "-") return nullptr;
  std::unique_ptr<Model> model = load_model_at(loaded.path).model;
  invocation.warn("so the model is written unchanged, without the preparation");
  Preparation& done = result.preparation;
  done.nodes_after = done.nodes_before;
  done.weights_after = done.weights_before;
  done.opset_after = done.opset_before;
  done.rewrites = 0;
  done.constant_inputs = 0;
  done.types_converted.clear();
  result.after_bytes = result.before_bytes;
  return model;
}

/// That the files beside the model can be written, before hours of work.
void check_other_files(const Invocation& invocation) {
  const OptionValues& options = invocation.options;
  for (const std::string& path : options.all("calibration-cache"))
    check_can_be_written("calibration-cache", path);
  if (!options.has("plan-out")) return;
  const std::string path = options.text("plan-out");
  if (path == "-") {
    throw Error(ErrorCode::invalid, "option --plan-out: a plan cannot go to standard output",
                "name a file, such as plan.json")
        .with_id("usage.value");
  }
  check_can_be_written("plan-out", path);
  check_is_no_other_file(invocation, "plan-out", path);
}

/// The options, with --dim for random inputs where the model rejects 1.
OptionValues with_sizes(const Invocation& invocation, const QuantizeSettings& settings,
                        const Model& model) {
  OptionValues options = invocation.options;
  if (!settings.has_random_data) return options;
  const auto known = read_dimension_sizes(options, input_symbols(model));
  const auto given = options.all("dim");
  std::vector<std::string> sizes(given.begin(), given.end());
  const InputSizes chosen = choose_sizes(invocation, model, known);
  const auto number_of = [&](const std::string& name) {
    const auto found = chosen.find(name);
    return found != chosen.end() ? std::optional(found->second) : std::nullopt;
  };
  for (const std::string& name : free_dimension_names(model.inputs())) {
    if (chosen.empty() || known.contains(name)) continue;
    std::optional<std::int64_t> size = number_of(name);
    if (!size) size = called_sum(name, number_of);
    if (size) sizes.push_back(format("{}={}", name, *size));
  }
  if (!sizes.empty()) options.set("dim", std::move(sizes));
  return options;
}

/// The sets, caches and recipes of the options, for the inputs of the prepared model.
QuantizeData data_for(const Invocation& invocation, const QuantizeSettings& settings,
                      const Model& prepared) {
  const OptionValues sized = with_sizes(invocation, settings, prepared);
  return read_quantize_data(invocation.with(sized), settings, prepared);
}

QuantizeOptions quantize_options_of(const Invocation& invocation, const QuantizeSettings& settings,
                                    const PlanFile& plan) {
  const OptionValues& values = invocation.options;
  const auto list = [&](std::string_view option) {
    const auto given = values.all(option);
    return std::vector<std::string>(given.begin(), given.end());
  };
  QuantizeOptions options;
  static_cast<QuantizeSettings&>(options) = settings;
  options.compute = compute_options(invocation, choose_providers(invocation));
  options.data.calibration = list("calibration-data");
  options.data.validation = list("validation-data");
  options.data.caches = list("calibration-cache");
  options.complete_data = [&invocation, &settings](const Model& prepared, QuantizeData& data) {
    data = data_for(invocation, settings, prepared);
  };
  options.selection = {list("exclude"), list("only"), list("exclude-op")};
  options.choices = plan.choices;
  return options;
}

/// --calibrate-only: no model is written, and nothing told of one.
QuantizeResult calibrate_alone(Model& model, const QuantizeOptions& options) {
  QuantizeResult result;
  result.settings = options;
  result.before_bytes = stored_bytes(model);
  CalibrationReport seen = calibrate(model, options);
  result.preparation = std::move(seen.preparation);
  result.samples = seen.samples();
  result.calibration_ms = seen.milliseconds;
  result.data_files = std::move(seen.data_files);
  return result;
}

}  // namespace

void run_quantize(Invocation& invocation) {
  const OptionValues& values = invocation.options;
  if (values.has("errors-of")) return run_quantization_errors(invocation);
  check_data_options(values);
  const PlanFile plan =
      values.has("plan") ? read_plan_file(values.text("plan"), invocation.memory) : PlanFile();
  const QuantizeSettings settings = read_quantize_settings(invocation, plan.settings);
  QuantizeOptions options = quantize_options_of(invocation, settings, plan);
  const std::optional<Shard> shard = read_shard(invocation);
  LoadedModel loaded = load_model_argument(invocation);
  apply_nchwc_block(values, *loaded.model);
  options.model_path = loaded.path;
  if (shard) {
    options.complete_data =
        [&, task = part_task(invocation, "quantize", calibration_kind, *shard, &loaded)](
            const Model& prepared, QuantizeData& data) {
          data = data_for(invocation, settings, prepared);
          data.part = task;
        };
  }
  const bool calibrates_only = values.flag("calibrate-only");
  std::optional<SaveTarget> target;
  if (!calibrates_only) target = read_save_target(invocation, loaded);
  check_other_files(invocation);
  QuantizeResult result;
  // Weights wait there until the model is written.
  QuantizedWeightStore store(target ? folder_beside(*target) : std::string(),
                             max_weight_bytes_in_memory);
  if (target) options.store = &store;
  in_file(loaded.path, [&] {
    Model& model = *loaded.model;
    const std::int64_t file_bytes = file_bytes_of(loaded);
    result = calibrates_only ? calibrate_alone(model, options) : quantize(model, options);
    result.file_bytes = file_bytes;
    if (!target) return;
    if (values.has("plan-out")) write_plan_file(values.text("plan-out"), result);
    if (result.is_refused) return;
    std::unique_ptr<Model> as_read;
    if (is_left_in_floats(result)) as_read = read_again(invocation, loaded, result);
    tell_preparation(invocation, result.preparation);
    result.output_path = target->path;
    result.output_bytes = save_to(invocation, *target, as_read ? *as_read : model);
  });
  add_quantize_report(invocation.report, result, calibrates_only);
  if (result.is_refused) invocation.report.verdict = static_cast<int>(ErrorCode::negative_result);
  if (!target || target->path != "-") return;
  // Only the model is written there.
  if (result.is_refused) write_to_stderr(invocation.report.text);
  invocation.report.text.clear();
}

}  // namespace ortool
