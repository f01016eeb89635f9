// Preparation, calibration, the mode's own steps, and the comparison with the original.
#include "libcore/api/quantize.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "libcore/api/quantize_errors.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/opset/convert_opset.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"
#include "libcore/quantize/pipeline/enough_memory.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/pipeline/quantize_with_data.hpp"
#include "libcore/quantize/pipeline/quantize_without_data.hpp"

namespace ortool {
namespace {

/// The first opset with scales a channel, or with types of 4 and 16 bits and a scale a block.
std::int64_t min_opset(bool needs_small_types) {
  return opset_of_attribute("QuantizeLinear", needs_small_types ? "block_size" : "axis");
}

bool needs_late_opset(const QuantizeSettings& settings) {
  const auto is_byte = [](DataType type) {
    return type == DataType::int8 || type == DataType::uint8;
  };
  const bool has_blocks = settings.block_size > 0 && !settings.has_integer_operators;
  return has_blocks || !is_byte(settings.weights.type) || !is_byte(settings.activations.type);
}

/// A model that somebody gives by mistake, or on purpose for what is still float.
void tell_quantized(const TaskContext& task, const Model& model) {
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
  task.warn(format(
      "the model is already quantized: {} nodes produce or read integers, and stay as they are",
      count));
}

/// What quantize() and calibrate() share.
class QuantizeCall {
 public:
  QuantizeCall(Model& model, const QuantizeOptions& options)
      : model_(model),
        options_(options),
        scope_(options.compute),
        machine_{options.compute.providers, scope_.pool(), options.compute.threads},
        patterns_(options.selection, model),
        data_(options.data) {
    data_.is_random = options.has_random_data;
    result_.settings = options;
    resolve_legacy_defaults(model);
    tell_quantized(scope_.task(), model);
    result_.before_bytes = stored_bytes(model);
  }

  QuantizeResult quantize();
  CalibrationReport calibrate();
  ErrorReport errors(const Model& quantized);

 private:
  void check_data() const;
  void prepare();
  /// Calls `work` with the prepared model's context.
  template <typename Work>
  void in_context(Work&& work);

  Model& model_;
  const QuantizeOptions& options_;
  ComputeScope scope_;
  QuantizeMachine machine_;
  NodePatterns patterns_;
  QuantizeData data_;
  QuantizeResult result_;
};

void QuantizeCall::check_data() const {
  const bool has_ranges = data_.has(DataRole::calibration) || data_.is_random ||
                          !data_.caches.empty() || options_.follows_plan;
  if (options_.mode != QuantizeMode::statically || has_ranges) return;
  throw Error(ErrorCode::invalid, "there is no calibration data",
              "give a calibration set, or another mode, which needs none")
      .with_id("quantize.data");
}

void QuantizeCall::prepare() {
  const bool needs_late = needs_late_opset(options_);
  PrepareOptions options;
  options.provider = machine_.providers.back().get();
  options.pool = &machine_.pool;
  options.cap = &scope_.task().memory;
  options.stop = &scope_.task().stop;
  options.on_step = scope_.task().on_step;
  options.min_opset = min_opset(needs_late);
  if (!options_.is_per_channel && !needs_late) {
    const bool is_dynamic = options_.mode == QuantizeMode::dynamically;
    options.fallback_opset = opset_of(is_dynamic ? "DynamicQuantizeLinear" : "QuantizeLinear");
  }
  options.in_float32 = options_.mode != QuantizeMode::weights_only;
  result_.preparation = prepare_model(model_, options);
  model_.ir_version =
      std::max(model_.ir_version, ir_version_of_opset(result_.preparation.opset_after));
}

template <typename Work>
void QuantizeCall::in_context(Work&& work) {
  prepare();
  if (options_.complete_data) options_.complete_data(model_, data_);
  const CalibrationCache cache(scope_.task(), data_, options_.model_path, model_);
  const QuantizeContext context{scope_.task(), options_,         data_, machine_,
                                patterns_,     options_.choices, cache, options_.model_path,
                                result_,       options_.store};
  name_enough_memory(context, model_, [&] { work(context); });
}

QuantizeResult QuantizeCall::quantize() {
  check_data();
  const DeclaredTypes declared(model_);
  // Where outputs are compared at all.
  const bool has_data =
      data_.has(DataRole::calibration) || data_.has(DataRole::validation) || data_.is_random;
  const std::unique_ptr<Model> original = has_data ? copy_model(model_) : nullptr;
  in_context([&](const QuantizeContext& context) {
    if (options_.mode == QuantizeMode::statically) {
      quantize_with_data(context, model_);
    } else {
      quantize_without_data(context, model_);
    }
    if (original != nullptr && !result_.end_to_end.outputs.empty() && !result_.is_refused)
      compare_with_original(context, *original, model_);
  });
  result_.after_bytes = stored_bytes(model_);
  if (!result_.is_refused) declared.restore(model_, false);
  return std::move(result_);
}

CalibrationReport QuantizeCall::calibrate() {
  check_data();
  CalibrationReport report;
  in_context([&](const QuantizeContext& context) {
    if (auto calibration = calibrate_with_data(context, model_))
      report.calibration = std::move(*calibration);
  });
  report.preparation = std::move(result_.preparation);
  report.milliseconds = result_.calibration_ms;
  report.data_files = std::move(result_.data_files);
  return report;
}

/// That both models take and give the same.
void check_same_interface(const Model& model, const Model& quantized) {
  const auto check = [](std::span<Value* const> expected, std::span<Value* const> found,
                        std::string_view kind) {
    const std::vector<std::string> wanted = names_of(expected);
    const std::vector<std::string> names = names_of(found);
    if (names == wanted) return;
    throw Error(ErrorCode::invalid,
                format("the quantized model has the {}s {} instead of {}", kind, list_names(names),
                       list_names(wanted)),
                "give the model that was quantized from this one")
        .with_id("quantize.errors");
  };
  check(model.inputs(), quantized.inputs(), "input");
  check(model.outputs(), quantized.outputs(), "output");
}

ErrorReport QuantizeCall::errors(const Model& quantized) {
  ErrorReport report;
  check_same_interface(model_, quantized);
  in_context([&](const QuantizeContext& context) {
    const auto floats = make_session(scope_.task(), machine_, model_, OptimizeLevel::none);
    check_image_recipes(scope_.task(), data_, floats->model().inputs(), floats->outputs());
    CalibrationData data(scope_.task(), data_, DataRole::validation, floats->model().inputs(),
                         floats->outputs());
    report.data_files = data.files();
    report.record = measure_errors(scope_.task(), context.machine, *floats, quantized, data);
    if (data.part() != nullptr) report.part = *data.part();
  });
  report.preparation = std::move(result_.preparation);
  return report;
}

}  // namespace

ErrorReport quantization_errors(Model& model, const Model& quantized,
                                const QuantizeOptions& options) {
  return QuantizeCall(model, options).errors(quantized);
}

QuantizeResult quantize(Model& model, const QuantizeOptions& options) {
  return QuantizeCall(model, options).quantize();
}

CalibrationReport calibrate(Model& model, const QuantizeOptions& options) {
  return QuantizeCall(model, options).calibrate();
}

std::vector<CalibratedRange> calibrated_ranges(const Calibration& calibration,
                                               const QuantizeSettings& settings) {
  std::vector<CalibratedRange> ranges;
  for (const auto& [name, record] : calibration.records()) {
    if (record.finite_count() == 0) continue;
    ranges.push_back({name, choose_range(record, settings.activations, settings.method)});
  }
  return ranges;
}

}  // namespace ortool
