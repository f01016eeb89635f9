// Laying out what people look for first.
#include "apps/ortool/inspect/overview.hpp"

#include <algorithm>

#include "apps/ortool/inspect/glob.hpp"
#include "apps/ortool/report/escape.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/inspect/weights.hpp"

namespace ortool {
namespace {

constexpr std::size_t most_listed_values = 8;
constexpr std::size_t most_listed_operators = 24;
constexpr std::size_t line_columns = 96;

std::string opsets_text(const Model& model) {
  std::string text = format("IR {}", model.ir_version);
  for (const auto& [domain, version] : model.graph->opsets()) {
    text += format(", {} {}", domain.empty() ? "ai.onnx" : domain, version);
  }
  if (!model.producer_name.empty()) {
    text += format(", by {} {}", model.producer_name, model.producer_version);
  }
  return cut_to(printable(text), 4 * line_columns);
}

std::string values_section(std::string_view title, std::span<Value* const> values) {
  TextTable table;
  for (std::size_t i = 0; i < std::min(values.size(), most_listed_values); ++i) {
    table.add_row({shorten(values[i]->name(), 60), values[i]->type().to_string()});
  }
  std::string text = std::string(title) + "\n" + table.to_string(2);
  if (values.size() > most_listed_values) {
    text += format("  ... and {} more\n", values.size() - most_listed_values);
  }
  return text;
}

/// "Conv 20, Relu 19, …", the commonest first, in lines that fit.
std::string histogram_text(const Summary& summary) {
  std::vector<std::pair<std::string, std::int64_t>> counts(summary.op_histogram.begin(),
                                                           summary.op_histogram.end());
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  std::string line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::string entry = i < most_listed_operators
                            ? format("{} {}", shorten(counts[i].first, 40), counts[i].second)
                            : format("and {} more operators", counts.size() - i);
    if (i + 1 < counts.size() && i < most_listed_operators) entry += ", ";
    if (line.size() + entry.size() > line_columns) {
      text += "  " + line + "\n";
      line.clear();
    }
    line += entry;
    if (i >= most_listed_operators) break;
  }
  return text + (line.empty() ? "" : "  " + line + "\n");
}

std::string cost_text(const Cost& cost) {
  const auto value = cost.value();
  return value ? readable_count(static_cast<double>(*value)) : shorten(cost.formula(), 200);
}

}  // namespace

std::string overview_text(const Model& model, const Summary& summary, std::string_view path) {
  std::string text = format("{}\n", printable(path));
  text += "  " + opsets_text(model) + "\n";
  std::vector<Value*> inputs;
  for (Value* input : model.graph->inputs()) {
    if (!input->has_default()) inputs.push_back(input);
  }
  text += values_section("inputs", inputs);
  text += values_section("outputs", model.graph->outputs());
  text += format("nodes: {}\n", summary.node_count) + histogram_text(summary);
  TextTable figures;
  figures.add_row(
      {"parameters", format("{} ({})", readable_count(static_cast<double>(summary.parameter_count)),
                            readable_bytes(static_cast<double>(summary.weight_bytes)))});
  figures.add_row({"MACs", cost_text(summary.macs)});
  figures.add_row(
      {"peak activations", summary.peak_activation_bytes
                               ? readable_bytes(static_cast<double>(*summary.peak_activation_bytes))
                               : "not known before the shapes are (--dim and --shape set them)"});
  if (summary.denormal_weights.value_or(0) > 0) {
    figures.add_row({"denormal weights", std::to_string(*summary.denormal_weights)});
  }
  if (summary.duplicate_weight_bytes.value_or(0) > 0) {
    figures.add_row({"duplicate weights",
                     readable_bytes(static_cast<double>(*summary.duplicate_weight_bytes))});
  }
  if (!model.functions.empty()) {
    figures.add_row({"functions", std::to_string(model.functions.size())});
  }
  for (const ExternalFile& file : model.external_files) {
    figures.add_row({"external data", format("{} ({})", file.path,
                                             readable_bytes(static_cast<double>(file.bytes)))});
  }
  return text + figures.to_string();
}

std::string nodes_text(const Model& model, std::string_view select) {
  const MacCounter counter(model);
  TextTable table({TextTable::Align::right, TextTable::Align::left, TextTable::Align::left,
                   TextTable::Align::left, TextTable::Align::right, TextTable::Align::right});
  table.add_row({"index", "name", "operator", "output", "MACs", "parameters"});
  std::int64_t index = -1;
  for (const Node& node : model.graph->nodes()) {
    ++index;
    if (!matches_glob(node.name(), select)) continue;
    const Value* output = node.output(0);
    table.add_row({std::to_string(index), std::string(node.name()), std::string(node.op_type()),
                   output != nullptr ? output->type().to_string() : "-",
                   cost_text(counter.count(node)),
                   readable_count(static_cast<double>(count_parameters(node)))});
  }
  return table.to_string();
}

std::string weights_text(const Model& model, std::string_view select) {
  TextTable table({TextTable::Align::left, TextTable::Align::left, TextTable::Align::right});
  table.add_row({"weight", "type", "bytes", ""});
  for (const Weight& weight : weights_of(model)) {
    if (!matches_glob(weight.name, select)) continue;
    table.add_row({std::string(weight.name),
                   format("{}[{}]", name_of(weight.type), weight.shape.to_string()),
                   std::to_string(weight.size_bytes()), weight.is_external ? "external" : ""});
  }
  return table.to_string();
}

std::string values_text(const Graph& graph, std::string_view select) {
  TextTable table;
  table.add_row({"value", "type", "made by"});
  for (const Value* value : graph.values()) {
    if (is_stored(*value) || !matches_glob(value->name(), select)) continue;
    table.add_row({std::string(value->name()), value->type().to_string(),
                   value->is_graph_input()        ? "(input)"
                   : value->producer() != nullptr ? std::string(value->producer()->name())
                                                  : "-"});
  }
  return table.to_string();
}

}  // namespace ortool
