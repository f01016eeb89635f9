// Plan file parser: strict, so that mistakes in a plan are reported and never ignored.
#include "libcore/quantize/pipeline/plan_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

constexpr std::int64_t plan_version = 2;
constexpr std::array<std::pair<std::string_view, WeightRangeChoice>, 3> weight_fits = {
    {{"nearest", WeightRangeChoice::nearest},
     {"quick", WeightRangeChoice::quick},
     {"thorough", WeightRangeChoice::thorough}}};
constexpr std::int64_t max_plan_bytes = std::int64_t{256} << 20;

using NameList = std::vector<std::string>;

Error broken_plan(std::string what) {
  Error error(ErrorCode::invalid, std::move(what),
              "`ortool schema quantize-plan` prints the format of a plan");
  error.with_id("quantize.plan");
  return error;
}

void check_keys(const Json& object, const NameList& known) {
  if (!object.is_object()) throw broken_plan("is not an object");
  for (const auto& [key, value] : object.members()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw unknown_name("key", key, "keys", known);
  }
}

const std::string& text_of(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr || !value->is_text())
    throw broken_plan(format("{} must be a string", quote(key)));
  return value->text();
}

bool flag_of(const Json& value, std::string_view key) {
  if (!value.is_flag()) throw broken_plan(format("{} must be true or false", quote(key)));
  return value.flag();
}

DataType type_of(const Json& object, std::string_view key, const NameList& known) {
  const std::string& name = text_of(object, key);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw unknown_name(key, name, "types", known);
  return *data_type_from_name(name);
}

std::string_view name_of_fit(WeightRangeChoice fit) {
  for (const auto& [name, each] : weight_fits) {
    if (each == fit) return name;
  }
  return {};
}

WeightRangeChoice read_fit(const std::string& text) {
  NameList known;
  for (const auto& [name, fit] : weight_fits) {
    if (name == text) return fit;
    known.emplace_back(name);
  }
  throw unknown_name("weight-fit", text, "fits", known);
}

std::vector<double> read_numbers(const Json& line, std::string_view key) {
  const Json* list = line.find(key);
  if (list == nullptr || !list->is_list())
    throw broken_plan(format("{} must be a list", quote(key)));
  std::vector<double> numbers;
  for (const Json& item : list->items()) {
    if (!item.is_number() || !std::isfinite(item.number()))
      throw broken_plan(format("{} must contain only numbers", quote(key)));
    numbers.push_back(item.number());
  }
  return numbers;
}

std::vector<double> read_factors(const Json& line) {
  check_keys(line, {"group", "factors"});
  std::vector<double> factors = read_numbers(line, "factors");
  const bool is_good = std::all_of(factors.begin(), factors.end(),
                                   [](double factor) { return factor > 1e-9 && factor < 1e9; });
  if (!is_good) throw broken_plan("factors must be between 1e-9 and 1e9");
  return factors;
}

NodeChoice read_node(const Json& line) {
  check_keys(
      line, {"node", "op_type", "quantized", "weight_type", "per_channel", "bias_shift", "reason"});
  NodeChoice choice;
  const Json* is_quantized = line.find("quantized");
  if (is_quantized == nullptr) throw broken_plan("does not say whether it is 'quantized'");
  choice.is_quantized = flag_of(*is_quantized, "quantized");
  if (line.find("reason") != nullptr) choice.reason = text_of(line, "reason");
  if (line.find("weight_type") != nullptr)
    choice.weight_type = type_of(line, "weight_type", {"int8", "uint8", "int4"});
  if (const Json* given = line.find("per_channel"))
    choice.is_per_channel = flag_of(*given, "per_channel");
  if (line.find("bias_shift") != nullptr) choice.bias_shift = read_numbers(line, "bias_shift");
  return choice;
}

Scale read_scale(const Json& line, DataType type) {
  const Json* scale = line.find("scale");
  const Json* zero_point = line.find("zero_point");
  if (scale == nullptr || zero_point == nullptr || !scale->is_number() || !zero_point->is_number())
    throw broken_plan("'scale' and 'zero_point' must be given together, as numbers");
  const double whole = std::floor(zero_point->number());
  if (zero_point->number() != whole || std::abs(whole) > 1e9)
    throw broken_plan(format("the zero point must be an integer (found {})", zero_point->number()));
  Scale result{static_cast<float>(scale->number()),
               static_cast<std::int64_t>(zero_point->number())};
  const CodeRange codes = code_range_of({type});
  if (!std::isnormal(result.scale) || result.scale < 0)
    throw broken_plan(format("the scale must be above 0 (found {})", scale->number()));
  if (result.zero_point < codes.lowest || result.zero_point > codes.highest) {
    throw broken_plan(format("the zero point of {} must be between {} and {} (found {})",
                             name_of(type), codes.lowest, codes.highest, result.zero_point));
  }
  return result;
}

ValueChoice read_tensor(const Json& line) {
  check_keys(line, {"tensor", "type", "scale", "zero_point", "method"});
  ValueChoice choice;
  if (line.find("type") != nullptr)
    choice.type = type_of(line, "type", {"uint8", "int8", "uint16", "int16"});
  if (line.find("method") != nullptr) {
    const std::string& name = text_of(line, "method");
    choice.method = method_from_name(name);
    if (!choice.method) {
      NameList known;
      for (const MethodRow& row : calibration_methods()) known.emplace_back(row.name);
      throw unknown_name("method", name, "methods", known);
    }
  }
  if (line.find("scale") != nullptr || line.find("zero_point") != nullptr) {
    if (!choice.type) throw broken_plan("a scale needs a 'type'");
    choice.scale = read_scale(line, *choice.type);
  }
  return choice;
}

/// Calls `take` with each entry of the list and its name under `key`; errors name the entry.
template <typename Take>
void read_lines(const Json& document, std::string_view list, std::string_view key, Take&& take) {
  const Json* lines = document.find(list);
  if (lines == nullptr) return;
  if (!lines->is_list()) throw broken_plan(format("{} must be a list", quote(list)));
  for (std::size_t i = 0; i < lines->items().size(); ++i) {
    const Json& line = lines->items()[i];
    try {
      if (!line.is_object()) throw broken_plan("is not an object");
      const std::string name = text_of(line, key);
      try {
        take(name, line);
      } catch (Error& error) {
        throw error.in(format("{} {}", key, quote(name)));
      }
    } catch (Error& error) {
      throw error.in(format("{}[{}]", list, i));
    }
  }
}

template <typename Choices, typename Choice>
void add_once(Choices& choices, const std::string& name, Choice choice) {
  if (!choices.emplace(name, std::move(choice)).second) throw broken_plan("it has two entries");
}

Json settings_json(const QuantizeSettings& settings, const QuantizeResult& result) {
  return Json::object()
      .set("mode", name_of(settings.mode))
      .set("recipe", settings.recipe)
      .set("activation-type", name_of(settings.activations.type))
      .set("symmetric-activations", settings.activations.is_symmetric)
      .set("weight-type", name_of(settings.weights.type))
      .set("per-tensor", !settings.is_per_channel)
      .set("reduce-range", settings.weights.is_reduced ? "on" : "off")
      .set("weight-fit", name_of_fit(result.weight_fit))
      .set("store-remaining-weights", result.stores_rest);
}

Json node_line(const ReportedNode& node, const QuantizeSettings& settings) {
  Json line = Json::object()
                  .set("node", node.plan_name)
                  .set("op_type", node.op_type)
                  .set("quantized", node.is_quantized);
  if (node.is_quantized && node.has_weights) {
    line.set("weight_type", name_of(node.weight_type.value_or(settings.weights.type)))
        .set("per_channel", node.is_per_channel);
  }
  if (!node.bias_shift.empty()) line.set("bias_shift", Json::list_of(node.bias_shift));
  if (!node.is_quantized) line.set("reason", node.reason);
  return line;
}

Json tensor_line(const ChosenValue& value, const MadePlan& made) {
  const GroupParams& group = made.params[static_cast<std::size_t>(value.group)];
  return Json::object()
      .set("tensor", value.name)
      .set("type", name_of(group.type.type))
      .set("scale", static_cast<double>(group.scale.scale))
      .set("zero_point", group.scale.zero_point)
      .set("method", name_of(value.chosen.method));
}

std::string lines_text(const std::vector<std::string>& lines) {
  std::string text = "[";
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "\n    " : ",\n    ") + lines[i];
  return text + "\n  ]";
}

Error not_in_model(std::string_view kind, const std::string& name, const std::string& nearest,
                   const std::string& hint) {
  Error error(
      ErrorCode::invalid,
      format("the plan names {} {}, which the prepared model does not have", kind, quote(name)),
      !hint.empty()     ? hint
      : nearest.empty() ? std::string(format("remove the entry, or make a plan with {}",
                                             setting_name("plan-out")))
                        : format("did you mean {}?", quote(nearest)));
  error.with_id("quantize.plan");
  return error;
}

/// The nodes of a plan by name, including the names of file nodes that were fused into them.
class NodeIndex {
 public:
  explicit NodeIndex(const MadePlan& made) : made_(made) {
    for (const ReportedNode& node : made.nodes) {
      nodes_.try_emplace(node.plan_name, &node);
      for (const std::string& origin : node.origins) holders_[origin] = &node;
    }
  }

  /// Throws ErrorCode::invalid for an unknown name.
  const ReportedNode& at(const std::string& name) const {
    const auto found = nodes_.find(name);
    if (found != nodes_.end()) return *found->second;
    NearestName nearest(name);
    for (const ReportedNode& node : made_.nodes) nearest.offer(node.plan_name);
    const auto holder = holders_.find(name);
    throw not_in_model("node", name, nearest.best(),
                       holder == holders_.end()
                           ? std::string()
                           : format("it is now part of node {}", quote(holder->second->plan_name)));
  }

 private:
  const MadePlan& made_;
  std::map<std::string_view, const ReportedNode*> nodes_;
  std::map<std::string_view, const ReportedNode*> holders_;
};

void check_node(const ReportedNode& node, const NodeChoice& choice, NameList& held_back) {
  if (!choice.is_quantized || node.is_quantized) return;
  const bool is_possible = node.role != QuantizeRole::none && node.role != QuantizeRole::product;
  if (is_possible) {
    held_back.push_back(node.plan_name);
    return;
  }
  throw Error(ErrorCode::invalid,
              format("the plan quantizes node {} ({}), which is not possible: {}",
                     quote(node.plan_name), node.op_type, node.reason),
              "set its \"quantized\" to false, or remove the entry")
      .with_id("quantize.plan");
}

}  // namespace

PlanFile read_plan_file(const std::string& path, MemoryCap& cap) {
  PlanFile plan;
  const Json document = parse_json(read_text_file(path, max_plan_bytes, &cap), path, {.cap = &cap});
  try {
    check_keys(document, {"plan_version", "settings", "balance", "nodes", "tensors"});
    const Json* version = document.find("plan_version");
    if (version == nullptr || !version->is_number() || version->number() != plan_version)
      throw broken_plan(format("'plan_version' must be {}", plan_version));
    if (const Json* settings = document.find("settings")) {
      check_keys(*settings,
                 {"mode", "recipe", "activation-type", "symmetric-activations", "weight-type",
                  "per-tensor", "reduce-range", "weight-fit", "store-remaining-weights"});
      plan.settings = *settings;
      if (const Json* stores = settings->find("store-remaining-weights"))
        plan.choices.stores_rest = flag_of(*stores, "store-remaining-weights");
      if (settings->find("weight-fit") != nullptr)
        plan.choices.weight_fit = read_fit(text_of(*settings, "weight-fit"));
    }
    read_lines(document, "balance", "group", [&](const std::string& name, const Json& line) {
      add_once(plan.choices.balance, name, read_factors(line));
    });
    read_lines(document, "nodes", "node", [&](const std::string& name, const Json& line) {
      add_once(plan.choices.nodes, name, read_node(line));
    });
    read_lines(document, "tensors", "tensor", [&](const std::string& name, const Json& line) {
      add_once(plan.choices.values, name, read_tensor(line));
    });
  } catch (Error& error) {
    throw error.in(path);
  }
  return plan;
}

void check_choices(const TaskContext& task, const PlanChoices& choices, const Model& model,
                   const MadePlan& made) {
  NameList held_back;
  const NodeIndex index(made);
  for (const auto& [name, choice] : choices.nodes) check_node(index.at(name), choice, held_back);
  const std::vector<const Graph*> graphs = graphs_in(model);
  for (const auto& [name, choice] : choices.values) {
    const bool is_known = std::any_of(
        graphs.begin(), graphs.end(),
        [&wanted = name](const Graph* graph) { return graph->find_value(wanted) != nullptr; });
    if (is_known) continue;
    NearestName nearest(name);
    for (const ChosenValue& value : made.chosen) nearest.offer(value.name);
    throw not_in_model("tensor", name, nearest.best(), {});
  }
  if (held_back.empty()) return;
  task.warn(
      format("the plan quantizes {}, but their producers or consumers compute in float: they stay "
             "in float",
             list_names(held_back)));
}

void write_plan_file(const std::string& path, const QuantizeResult& result) {
  const QuantizeSettings& settings = result.settings;
  const MadePlan& made = result.plan;
  std::vector<std::string> nodes;
  for (const ReportedNode& node : made.nodes)
    nodes.push_back(node_line(node, settings).write_compact());
  std::vector<std::string> tensors;
  for (const ChosenValue& value : made.chosen)
    tensors.push_back(tensor_line(value, made).write_compact());
  std::vector<std::string> groups;
  for (const auto& [name, factors] : result.balance) {
    groups.push_back(
        Json::object().set("group", name).set("factors", Json::list_of(factors)).write_compact());
  }
  AtomicFile file(path);
  file.write("{\n  \"plan_version\": " + std::to_string(plan_version) +
             ",\n  \"settings\": " + settings_json(settings, result).write_compact() +
             ",\n  \"balance\": " + lines_text(groups) + ",\n  \"nodes\": " + lines_text(nodes) +
             ",\n  \"tensors\": " + lines_text(tensors) + "\n}\n");
  file.commit();
}

}  // namespace ortool
