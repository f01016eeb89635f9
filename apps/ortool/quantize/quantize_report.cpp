// Report of quantize: counts, sizes, accuracy, and the nodes with the largest errors.
#include "apps/ortool/quantize/quantize_report.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "apps/ortool/quantize/errors_report.hpp"
#include "apps/ortool/quantize/search_report.hpp"
#include "apps/ortool/report/data_files_block.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

/// Number of worst nodes that the text shows.
constexpr std::size_t max_nodes_told = 5;

std::string readable_size(std::int64_t bytes) {
  return readable_bytes(static_cast<double>(bytes));
}

/// The part of a file that is not tensor data: nodes, names, types.
std::optional<std::int64_t> graph_bytes(const StoredBytes& bytes, std::int64_t file_bytes) {
  if (file_bytes <= bytes.total()) return std::nullopt;
  return file_bytes - bytes.total();
}

Json bytes_block(const StoredBytes& bytes, std::int64_t file_bytes) {
  const std::optional<std::int64_t> graph = graph_bytes(bytes, file_bytes);
  return Json::object()
      .set("bytes", file_bytes > 0 ? Json(file_bytes) : Json())
      .set("graph_bytes", graph ? Json(*graph) : Json())
      .set("tensor_bytes", bytes.total())
      .set("float_bytes", bytes.floats)
      .set("quantized_bytes", bytes.quantized)
      .set("other_bytes", bytes.others);
}

std::int64_t count_nodes(const QuantizeResult& result, bool is_quantized) {
  return std::count_if(result.plan.nodes.begin(), result.plan.nodes.end(),
                       [&](const ReportedNode& node) { return node.is_quantized == is_quantized; });
}

Json tensors_block(const QuantizeResult& result) {
  Json tensors = Json::list();
  for (const ChosenValue& value : result.plan.chosen) {
    const GroupParams& group = result.plan.params[static_cast<std::size_t>(value.group)];
    tensors.add(Json::object()
                    .set("name", value.name)
                    .set("dtype", name_of(group.type.type))
                    .set("scale", static_cast<double>(group.scale.scale))
                    .set("zero_point", group.scale.zero_point)
                    .set("axis", Json())
                    .set("min", value.chosen.range.low)
                    .set("max", value.chosen.range.high)
                    .set("clipped_ratio", value.chosen.clipped_ratio)
                    .set("method", name_of(value.chosen.method))
                    .set("group", value.group));
  }
  return tensors;
}

/// The quantized nodes with their errors, the worst first.
struct NodeError {
  const ReportedNode* node;
  const ValueError* error;
};

std::vector<NodeError> node_errors(const QuantizeResult& result) {
  std::map<std::string_view, const ReportedNode*> by_value;
  for (const ReportedNode& node : result.plan.nodes) {
    if (node.is_quantized) by_value.emplace(node.value, &node);
  }
  std::vector<NodeError> errors;
  for (const ValueError& error : result.end_to_end.values) {
    const auto found = by_value.find(error.value);
    if (found != by_value.end()) errors.push_back({found->second, &error});
  }
  return errors;
}

Json errors_block(const std::vector<NodeError>& errors) {
  Json list = Json::list();
  for (const NodeError& each : errors) {
    list.add(Json::object()
                 .set("node", each.node->name)
                 .set("origin", Json::list_of(each.node->origins))
                 .set("op_type", each.node->op_type)
                 .set("sqnr_db", each.error->sums.sqnr_db())
                 .set("cosine", each.error->sums.cosine())
                 .set("max_abs_error", each.error->sums.max_abs_error()));
  }
  return list;
}

/// Null if nothing was written.
Json output_block(const QuantizeResult& result) {
  if (result.output_path.empty()) return {};
  return Json::object().set("path", result.output_path).set("bytes", result.output_bytes);
}

std::string sizes_text(const QuantizeResult& result) {
  const StoredBytes& after = result.after_bytes;
  std::string text = format("tensors: {} -> {} ({} quantized, {} float, {} other)\n",
                            readable_size(result.before_bytes.total()),
                            readable_size(after.total()), readable_size(after.quantized),
                            readable_size(after.floats), readable_size(after.others));
  const auto before_graph = graph_bytes(result.before_bytes, result.file_bytes);
  const auto after_graph = graph_bytes(after, result.output_bytes);
  if (before_graph && after_graph) {
    text += format("nodes and names: {} -> {}\n", readable_size(*before_graph),
                   readable_size(*after_graph));
  }
  return text;
}

Json float_nodes_block(const QuantizeResult& result) {
  Json list = Json::list();
  for (const ReportedNode& node : result.plan.nodes) {
    if (node.is_quantized) continue;
    list.add(Json::object()
                 .set("node", node.name)
                 .set("op_type", node.op_type)
                 .set("reason", node.reason));
  }
  return list;
}

Json diagnosis_block(const Diagnosis& diagnosis) {
  Json outliers = Json::list();
  for (const OutlierSample& outlier : diagnosis.outliers) outliers.add(outlier.sample);
  Json channels = Json::list();
  for (const ConstantChannels& constant : diagnosis.constant_channels) {
    channels.add(Json::object()
                     .set("value", constant.value)
                     .set("channels", Json::list_of(constant.channels)));
  }
  return Json::object()
      .set("converged_after_samples",
           diagnosis.converged_after_samples ? Json(*diagnosis.converged_after_samples) : Json())
      .set("outlier_samples", std::move(outliers))
      .set("clipped_ratio", diagnosis.clipped_ratio)
      .set("constant_channels", std::move(channels))
      .set("not_finite", Json::list_of(diagnosis.not_finite))
      .set("input_range_mismatch",
           diagnosis.input_range_mismatch ? Json(*diagnosis.input_range_mismatch) : Json());
}

Json calibration_block(const QuantizeResult& result) {
  if (result.settings.mode != QuantizeMode::statically) return {};
  return Json::object()
      .set("method", name_of(result.chosen_method.value_or(result.settings.method.method)))
      .set("samples", result.samples)
      .set("random", result.settings.has_random_data)
      .set("ms", result.calibration_ms)
      .set("diagnosis", diagnosis_block(result.diagnosis));
}

/// The part of the diagnosis that is not a warning.
std::string data_text(const QuantizeResult& result) {
  const Diagnosis& found = result.diagnosis;
  std::string text;
  if (found.converged_after_samples)
    text += format("; scales converge after {}", *found.converged_after_samples);
  if (found.clipped_ratio > 0) {
    text += format("; {} % of all elements clipped, most at {} ({} %)",
                   readable_number(found.clipped_ratio * 100), shorten(found.max_clipped_value, 40),
                   readable_number(found.max_clipped_ratio * 100));
  }
  std::size_t constant = 0;
  for (const ConstantChannels& each : found.constant_channels) constant += each.channels.size();
  if (constant > 0)
    text +=
        format("; {} channels of {} values are constant", constant, found.constant_channels.size());
  return text;
}

std::string reasons_text(const QuantizeResult& result) {
  std::map<std::string, std::int64_t> counts;
  for (const ReportedNode& node : result.plan.nodes) {
    if (!node.is_quantized) ++counts[node.reason];
  }
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [reason, count] : counts) sorted.emplace_back(-count, reason);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), max_nodes_told); ++i)
    text += format("  {} in float: {}\n", -sorted[i].first, sorted[i].second);
  if (sorted.size() > max_nodes_told)
    text += format("  and for {} other reasons (float_reasons of --json)\n",
                   sorted.size() - max_nodes_told);
  return text;
}

std::string worst_text(const std::vector<NodeError>& errors) {
  std::vector<ToldError> told;
  for (const NodeError& each : errors)
    told.push_back({each.node->name, each.node->op_type, &each.error->sums});
  return worst_errors_text(std::move(told), max_nodes_told);
}

/// {operators, remaining_clusters}; null without --quant-format qoperator.
Json integers_block(const QuantizeResult& result) {
  if (!result.settings.has_integer_operators) return {};
  Json operators = Json::object();
  for (const auto& [op_type, count] : result.integers.operators) operators.set(op_type, count);
  return Json::object()
      .set("operators", std::move(operators))
      .set("remaining_clusters", result.integers.clusters_left);
}

/// The same as one line of text; may be empty.
std::string integers_text(const QuantizeResult& result) {
  if (!result.settings.has_integer_operators) return {};
  std::string text;
  for (const auto& [op_type, count] : result.integers.operators)
    text += format("{}{} {}", text.empty() ? "" : ", ", count, op_type);
  return format("integer operators: {}; {} results have none and stay QDQ\n",
                text.empty() ? "none" : text, result.integers.clusters_left);
}

}  // namespace

void add_quantize_report(Report& report, const QuantizeResult& result, bool calibrates_only) {
  const QuantizeSettings& settings = result.settings;
  const std::int64_t quantized = count_nodes(result, true);
  const std::int64_t floats = count_nodes(result, false);
  const std::vector<NodeError> errors = node_errors(result);
  report.payload.set("recipe", settings.recipe)
      .set("mode", name_of(settings.mode))
      .set("format", settings.has_integer_operators ? "qoperator" : "qdq")
      .set("quantized_nodes", quantized)
      .set("float_nodes", floats)
      .set("float_reasons", float_nodes_block(result))
      .set("integer_operators", integers_block(result))
      .set("preparation", Json::object()
                              .set("nodes_before", result.preparation.nodes_before)
                              .set("nodes_after", result.preparation.nodes_after)
                              .set("rewrites", result.preparation.rewrites))
      .set("before", bytes_block(result.before_bytes, result.file_bytes))
      .set("after", calibrates_only ? Json() : bytes_block(result.after_bytes, result.output_bytes))
      .set("calibration", calibration_block(result))
      .set("data_files", data_files_block(result.data_files))
      .set("tensors", tensors_block(result))
      .set("error", errors_block(errors))
      .set("end_to_end", outputs_block(result.end_to_end.outputs))
      .set("suggestions", Json::list())
      .set("output", output_block(result));
  const SearchReport steering = describe_searches(result);
  for (const auto& [key, value] : steering.block.members()) report.payload.set(key, value);
  report.text += format("prepared: {} -> {} nodes ({} rewrites)\n", result.preparation.nodes_before,
                        result.preparation.nodes_after, result.preparation.rewrites);
  if (!calibrates_only) {
    report.text += format("{} {} quantized, {} in float\n", quantized,
                          quantized == 1 ? "node" : "nodes", floats);
    report.text += reasons_text(result);
    report.text += integers_text(result);
  }
  if (result.samples > 0)
    report.text +=
        format("calibrated on {} {}samples in {}{}\n", result.samples,
               settings.has_random_data ? "random " : "", readable_ms(result.calibration_ms),
               calibrates_only ? std::string() : data_text(result));
  if (calibrates_only) return;
  report.text += sizes_text(result);
  report.text += outputs_text(result.end_to_end.outputs);
  report.text += worst_text(errors);
  report.text += steering.text;
  if (result.is_refused) return;
  report.text +=
      format("written: {} ({})\n", shorten(result.output_path), readable_size(result.output_bytes));
}

}  // namespace ortool
