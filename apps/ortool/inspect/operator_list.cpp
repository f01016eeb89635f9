// Operator list: lowers the models, and notes the operators of every step.
#include "apps/ortool/inspect/operator_list.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/lower/observed_lowering.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

/// Pairs of domain and operator, in order.
using OperatorSet = std::set<std::pair<std::string, std::string>>;

/// What a build needs for some models: operators, and kernels that only some models need.
struct ModelNeeds {
  OperatorSet operators;
  bool has_winograd = false;
  bool has_16_bit_floats = false;
};

bool are_all(const std::vector<std::int64_t>& numbers, std::int64_t wanted) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](std::int64_t number) { return number == wanted; });
}

template <typename T>
const T* attribute_value(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  return attribute != nullptr ? std::get_if<T>(&attribute->value) : nullptr;
}

/// Whether Winograd's algorithm may compute the node: a convolution in one group whose kernel of
/// 3 x 3 moves by one pixel.
bool may_use_winograd(const Node& node) {
  const int filters = traits_of(node).filters;
  if (filters < 0 || filters >= node.input_count() || node.input(filters) == nullptr) return false;
  const auto* groups = attribute_value<std::int64_t>(node, "group");
  if (groups != nullptr && *groups != 1) return false;
  const auto* strides = attribute_value<std::vector<std::int64_t>>(node, "strides");
  if (strides != nullptr && !are_all(*strides, 1)) return false;
  const auto* kernel = attribute_value<std::vector<std::int64_t>>(node, "kernel_shape");
  if (kernel != nullptr) return are_all(*kernel, 3);
  const auto sizes = spatial_sizes(*node.input(filters));
  return !sizes || are_all(*sizes, 3);
}

bool is_16_bit_float(DataType type) {
  return type == DataType::float16 || type == DataType::bfloat16;
}

/// Whether a value is in float16 or bfloat16, or a node makes one.
bool has_16_bit_floats(const Model& model) {
  for (const Value* value : values_in(model)) {
    if (is_16_bit_float(value->type().element)) return true;
    if (value->has_content() && is_16_bit_float(value->constant().type())) return true;
  }
  for (const Node* node : nodes_in(model)) {
    const auto* to = attribute_value<std::int64_t>(*node, "to");
    if (to != nullptr && is_16_bit_float(static_cast<DataType>(*to))) return true;
  }
  return false;
}

void add_needs(const Model& model, ModelNeeds& needs) {
  for (const Node* node : nodes_in(model)) {
    needs.operators.emplace(std::string(node->domain()), std::string(node->op_type()));
    needs.has_winograd = needs.has_winograd || may_use_winograd(*node);
  }
  needs.has_16_bit_floats = needs.has_16_bit_floats || has_16_bit_floats(model);
}

/// The names of what the models do not need (cmake/minimal/choose_sources.py).
std::vector<std::string> unneeded_kernels(const ModelNeeds& needs) {
  std::vector<std::string> names;
  if (!needs.has_16_bit_floats) names.emplace_back("16-bit-floats");
  if (!needs.has_winograd) names.emplace_back("winograd");
  return names;
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
                           const std::string& isa, ModelNeeds& needs) {
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
            [&](const Model& model) { add_needs(model, needs); });
  add_made_operators(lowered.report.rewrites, *loaded.model->graph, needs.operators);
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
  ModelNeeds needs = {.operators = {{"ortool", "Reorder"}}};
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
      add_needs(*loaded.model, needs);
      for (const std::string& isa : isa_names()) {
        invocation.stop.poll();
        add_session_operators(invocation, loaded.path, isa, needs);
      }
    });
    names += format("#   {}\n", shorten(loaded.path));
  }
  Report& report = invocation.report;
  const std::vector<std::string> unneeded = unneeded_kernels(needs);
  report.payload.set("operators", list_of(needs.operators));
  report.payload.set("unneeded_kernels", Json::list_of(unneeded));
  report.text =
      format("# operators for a build with -DORTOOL_PROFILE=minimal, of these models:\n{}", names);
  for (const auto& [domain, op_type] : needs.operators)
    report.text += format("{} {}\n", domain.empty() ? "ai.onnx" : domain, op_type);
  if (!unneeded.empty()) report.text += "# kernels that none of them needs\n";
  for (const std::string& name : unneeded) report.text += format("without {}\n", name);
}

}  // namespace ortool
