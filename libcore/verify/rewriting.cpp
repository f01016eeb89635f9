// Rewriting: loads the model, fixes shapes, and runs the passes selected by the options.
#include "libcore/verify/rewriting.hpp"

#include <algorithm>
#include <map>

#include "libcore/graph/algorithms/freeze_defaults.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/optimize/opset/convert_opset.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/optimize/surgery/declared_types.hpp"
#include "libcore/optimize/surgery/exact_products.hpp"
#include "libcore/optimize/surgery/extract.hpp"
#include "libcore/optimize/surgery/import_missing_domains.hpp"
#include "libcore/provider/constant_evaluator.hpp"

namespace ortool {
namespace {

/// Whether a conversion changes bits: below opset 21 the scale and bias of GroupNormalization
/// become separate nodes, each of which rounds.
bool rounds_on_the_way(const Model& model, std::int64_t target) {
  constexpr std::int64_t opset_of_channel_scales = GroupNormalization::opset_of_channel_scales;
  if (model.opset("") < opset_of_channel_scales || target >= opset_of_channel_scales) return false;
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      if (node.op_type() == "GroupNormalization" && node.domain().empty()) return true;
    }
  }
  return false;
}

/// Inlines the model's functions.
void inline_all(Model& model) {
  inline_functions(model);
  model.functions.clear();
}

/// Removes constants without consumers from all graphs.
void drop_unread_constants(Model& model) {
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Value* value : graph->values()) {
      if (value->is_constant() && value->uses().empty()) graph->remove_value(*value);
    }
  }
}

}  // namespace

bool is_weight_input(const Value& input) {
  return input.has_default() && input.constant().type() == DataType::float32 &&
         input.constant().element_count() > 1;
}

Rewriting::Rewriting(TaskContext task, RewriteSource source, const OptimizeSettings& settings,
                     const std::vector<RuleGroup>& groups, const Provider& provider)
    : task_(std::move(task)),
      source_(std::move(source)),
      settings_(settings),
      groups_(groups),
      descriptions_(describe_passes(groups)),
      provider_(provider) {}

Rewriting::Rewriting(const Rewriting& other, const OptimizeSettings& settings)
    : Rewriting(other.task_, other.source_, settings, other.groups_, other.provider_) {}

bool Rewriting::converts_before_embedding(const Model& model) const {
  return !source_.embedded_pictures.empty() && settings_.opset > model.opset("");
}

Rewriting Rewriting::without_embedding() const {
  Rewriting plain(*this, settings_);
  plain.source_.embedded_pictures.clear();
  return plain;
}

std::unique_ptr<Model> Rewriting::prepare(std::unique_ptr<Model> model) const {
  import_missing_domains(*model);
  // In 16 bits, each would be cast in every run.
  if (settings_.freezes_defaults || settings_.has_16_bits())
    freeze_defaults(*model->graph, [this](const Value& input) {
      return settings_.freezes_defaults || is_weight_input(input);
    });
  if (source_.fix_shapes) source_.fix_shapes(*model);
  if (is_part()) model = cut(std::move(model));
  if (converts_before_embedding(*model)) {
    const DeclaredTypes declared(*model);
    convert(*model);
    declared.restore(*model, has_fixed_shapes());
  }
  embeddings_ = embed_pictures(source_.embedded_pictures, has_fixed_shapes(), *model);
  return model;
}

std::unique_ptr<Model> Rewriting::cut(std::unique_ptr<Model> model) const {
  std::map<std::string, ValueType, std::less<>> types;
  for (const std::span<Value* const> values : {model->inputs(), model->outputs()}) {
    for (const Value* value : values) types.emplace(value->name(), value->type());
  }
  infer_shapes(*model);
  model = extract(std::move(model), source_.extracted_inputs, source_.extracted_outputs);
  for (const std::span<Value* const> values : {model->inputs(), model->outputs()}) {
    for (Value* value : values) {
      const auto declared = types.find(value->name());
      if (declared != types.end()) value->set_type(declared->second);
    }
  }
  return model;
}

bool Rewriting::is_part() const {
  return !source_.extracted_inputs.empty() || !source_.extracted_outputs.empty();
}

bool Rewriting::is_wanted(std::string_view name) const {
  const auto holds = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (holds(settings_.skipped)) return false;
  // Only ortool has its quantized operators.
  if (name == fuse_quantized_name && settings_.target == Target::onnxruntime) return false;
  if (!settings_.passes.empty()) return holds(settings_.passes);
  const PassDescription* pass = find_pass(name);
  return level_of(name) <= settings_.level && (pass == nullptr || !pass->is_on_request);
}

RewriteReport Rewriting::apply(Model& model, std::int64_t max_rewrites, Progress* progress) const {
  RewriteOptions options;
  options.keeps_events = settings_.explains || max_rewrites != all_rewrites;
  options.max_rewrites = max_rewrites;
  options.is_chosen = [this](std::string_view name) { return is_wanted(name); };
  return rewrite(model, std::move(options), progress);
}

RewriteReport Rewriting::apply_only(Model& model, std::string_view pass) const {
  RewriteOptions options;
  options.is_chosen = [pass](std::string_view name) { return name == pass; };
  return rewrite(model, std::move(options));
}

std::vector<ClosestMatch> Rewriting::closest(const Model& model) const {
  RewriteOptions options;
  options.is_chosen = [this](std::string_view name) { return is_wanted(name); };
  options.stop = &task_.stop;
  return closest_matches(model, groups_, options);
}

void Rewriting::convert(Model& model) const {
  if (settings_.opset == 0 || settings_.opset == model.opset("")) return;
  inline_all(model);
  infer_shapes(model);
  conversion_rounds_ = rounds_on_the_way(model, settings_.opset);
  convert_opset(model, settings_.opset);
}

RewriteReport Rewriting::rewrite(Model& model, RewriteOptions options, Progress* progress) const {
  convert(model);
  // The nodes of a function are converted where it is called.
  const bool changes_operators =
      settings_.target == Target::onnx || settings_.target == Target::onnxruntime;
  if (settings_.has_16_bits() || changes_operators) inline_all(model);
  infer_shapes(model);
  Workers alone(&task_.stop);
  const CompileContext context{.workers = alone, .cap = &task_.memory};
  ConstantEvaluator evaluator(provider_, context);
  options.has_own_operators =
      settings_.target == Target::ortool || settings_.target == Target::onnxruntime;
  options.evaluator = &evaluator;
  options.fold_limits.is_all_or_none = true;
  options.fold_limits.keeps_dequantized = true;
  options.fold_limits.keeps_outputs = true;
  options.cap = &task_.memory;
  options.stop = &task_.stop;
  std::int64_t rewritten = 0;
  if (settings_.target == Target::onnx) {
    target_drops_rounding_ = has_rounding_layers(model);
    rewritten = write_for_onnx(model);
  }
  RewriteReport report = optimize(model, groups_, OptimizeLevel::all, options, progress);
  if (settings_.target == Target::onnxruntime) {
    infer_shapes(model);
    rewritten = write_for_onnxruntime(model);
  }
  target_rounds_ = rewritten > 0;
  drop_unread_constants(model);
  infer_shapes(model);
  if (!converts_floats_) return report;
  float_conversion_ = convert_to_16_bits(model, settings_.float_type, [this](const Node& node) {
    const auto found = reasons_to_keep_.find(std::string(node.name()));
    return found != reasons_to_keep_.end() ? found->second : std::string();
  });
  infer_shapes(model);
  return report;
}

const PassDescription* Rewriting::find_pass(std::string_view name) const {
  for (const PassDescription& description : descriptions_) {
    if (description.name == name) return &description;
  }
  return nullptr;
}

OptimizeLevel Rewriting::level_of(std::string_view pass) const {
  const PassDescription* found = find_pass(pass);
  return found != nullptr ? found->level : OptimizeLevel::none;
}

bool Rewriting::keeps_bits(const RewriteReport& report) const {
  if (conversion_rounds_ || target_rounds_) return false;
  return std::all_of(report.passes.begin(), report.passes.end(), [&](const PassRecord& record) {
    return record.applied == 0 || level_of(record.name) <= OptimizeLevel::basic;
  });
}

}  // namespace ortool
