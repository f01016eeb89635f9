// Overview of a model: the layout of the text.
#include "apps/ortool/inspect/overview.hpp"

#include <algorithm>

#include "apps/ortool/inspect/preprocessing_report.hpp"
#include "apps/ortool/inspect/quantization_report.hpp"
#include "apps/ortool/inspect/summary_block.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/weights.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_listed_values = 6;
constexpr std::size_t max_listed_op_types = 20;
constexpr std::size_t max_listed_weights = 3;
constexpr std::size_t max_listed_files = 3;
constexpr std::size_t line_columns = 96;
constexpr std::size_t max_formula_bytes = 160;

std::string opsets_text(const Model& model) {
  std::string text = format("IR {}", model.ir_version);
  for (const auto& [domain, version] : model.graph->opsets()) {
    text += format(", {} {}", domain.empty() ? "ai.onnx" : domain, version);
  }
  if (!model.producer_name.empty()) text += format(", by {}", model.producer_name);
  if (!model.producer_version.empty()) text += " " + model.producer_version;
  return cut_to(printable(text), 2 * line_columns);
}

std::string values_section(const Model& model, std::string_view title,
                           std::span<Value* const> values) {
  TextTable table;
  for (std::size_t i = 0; i < std::min(values.size(), max_listed_values); ++i) {
    const Value& value = *values[i];
    const std::string hint =
        value.is_graph_input() ? preprocessing_line(find_preprocessing(model, value)) : "";
    table.add_row(
        {shorten(value.name(), 40), shorten(value.type().to_string(), 100), shorten(hint, 120)});
  }
  std::string text = std::string(title) + "\n" + table.to_string(2);
  if (values.size() > max_listed_values) {
    text += format("  ... and {} more\n", values.size() - max_listed_values);
  }
  return text;
}

/// "Conv 20, Relu 19, …", the most frequent first, wrapped into lines.
std::string histogram_text(const Summary& summary) {
  std::vector<std::pair<std::string, std::int64_t>> counts(summary.op_histogram.begin(),
                                                           summary.op_histogram.end());
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  std::string line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::string entry =
        i < max_listed_op_types
            ? format("{} {}", printable(shorten(counts[i].first, 24)), counts[i].second)
            : format("and {} more operators", counts.size() - i);
    if (i + 1 < counts.size() && i < max_listed_op_types) entry += ", ";
    if (line.size() + entry.size() > line_columns) {
      text += "  " + line + "\n";
      line.clear();
    }
    line += entry;
    if (i >= max_listed_op_types) break;
  }
  return text + (line.empty() ? "" : "  " + line + "\n");
}

std::string memory_text(const ActivationMemory& memory) {
  if (memory.unknown != nullptr) {
    return format("unknown, as is the size of {}", quote(memory.unknown->name(), 60));
  }
  const auto bytes = memory.bytes.value();
  const std::string amount = bytes ? readable_bytes(static_cast<double>(*bytes))
                                   : shorten(memory.bytes.formula(), max_formula_bytes) + " bytes";
  return memory.is_bound ? "at most " + amount : amount;
}

/// A formula that fits is shown even if it depends on data.
std::string macs_text(const Model& model, const Cost& macs) {
  if (macs.value() || macs.cause().empty() || macs.formula().size() <= line_columns) {
    return cost_text(macs);
  }
  const auto is_open = [](const Value* input) {
    return !input->has_default() && input->type().is_tensor() && !to_known(input->type().shape);
  };
  const bool may_be_decided = std::any_of(model.inputs().begin(), model.inputs().end(), is_open);
  return format("unknown: depends on {}{}", quote(macs.cause(), 60),
                may_be_decided ? " (--dim or --shape may decide it)" : "");
}

void add_weight_rows(const Summary& summary, TextTable& figures) {
  const WeightStatistics& total = summary.weight_findings->total;
  const auto add_count = [&](std::string_view label, std::int64_t count, std::string_view remark) {
    if (count > 0) figures.add_row({std::string(label), format("{}{}", count, remark)});
  };
  add_count("denormal weights", total.denormals, ", which slow down arithmetic");
  add_count("NaN weights", total.nans, "");
  add_count("infinite weights", total.infinities, "");
  const bool is_sparse = total.zeros > 1000 && total.zeros * 4 > summary.parameter_count;
  if (is_sparse) {
    figures.add_row({"zero weights",
                     format("{} ({} % of all)", readable_count(static_cast<double>(total.zeros)),
                            total.zeros * 100 / summary.parameter_count)});
  }
  constexpr std::int64_t worth_saying_bytes = 4096;
  if (summary.weight_findings->duplicate_bytes < worth_saying_bytes) return;
  const DuplicateGroup& group = summary.weight_findings->duplicates.front();
  figures.add_row(
      {"duplicate weights",
       format("{}, most by {} copies of {}",
              readable_bytes(static_cast<double>(summary.weight_findings->duplicate_bytes)),
              group.weights.size(), quote(summary.weights[group.weights.front()].name, 40))});
}

void add_shape_row(const Summary& summary, TextTable& figures) {
  if (summary.shape_blockers.empty()) return;
  const Node& first = *summary.shape_blockers.front();
  std::string text =
      format("from {} ({}) on", quote(first.name(), 60), shorten(first.op_type(), 30));
  if (summary.shape_blockers.size() > 1) {
    text += format(", and from {} more nodes", summary.shape_blockers.size() - 1);
  }
  figures.add_row({"unknown shapes", text});
}

}  // namespace

std::string cost_text(const Cost& cost) {
  const auto value = cost.value();
  return value ? readable_count(static_cast<double>(*value))
               : shorten(cost.formula(), max_formula_bytes);
}

std::string overview_text(const Inspection& inspection) {
  const Model& model = inspection.model();
  const Summary& summary = inspection.summary();
  std::string text = format("{}\n", cut_to(printable(inspection.path()), 2 * line_columns));
  text += "  " + opsets_text(model) + "\n";
  std::vector<Value*> inputs;
  for (Value* input : model.inputs()) {
    if (!input->has_default()) inputs.push_back(input);
  }
  text += values_section(model, "inputs", inputs);
  text += values_section(model, "outputs", model.outputs());
  text += format("nodes: {}\n", summary.node_count) + histogram_text(summary);
  TextTable figures;
  figures.add_row(
      {"parameters", format("{} ({})", readable_count(static_cast<double>(summary.parameter_count)),
                            readable_bytes(static_cast<double>(summary.weight_bytes)))});
  if (summary.weights.size() > max_listed_weights) {
    std::string largest;
    for (const Weight& weight : largest_weights(summary, max_listed_weights)) {
      largest += format("{}{} {}", largest.empty() ? "" : ", ", shorten(weight.name, 40),
                        readable_bytes(static_cast<double>(weight.size_bytes())));
    }
    figures.add_row({"largest weights", largest});
  }
  figures.add_row({"MACs", macs_text(model, summary.macs)});
  figures.add_row({"peak activations", memory_text(summary.peak_activations)});
  add_shape_row(summary, figures);
  if (!inspection.quantization().is_empty()) {
    figures.add_row({"quantization", quantization_line(inspection.quantization())});
  }
  if (summary.weight_findings) add_weight_rows(summary, figures);
  if (!model.functions.empty()) {
    figures.add_row({"functions", std::to_string(model.functions.size())});
  }
  for (std::size_t i = 0; i < std::min(model.external_files.size(), max_listed_files); ++i) {
    const ExternalFile& file = model.external_files[i];
    figures.add_row({"external data", format("{} ({})", shorten(file.path, 80),
                                             readable_bytes(static_cast<double>(file.bytes)))});
  }
  if (model.external_files.size() > max_listed_files) {
    figures.add_row(
        {"", format("... and {} more files", model.external_files.size() - max_listed_files)});
  }
  return text + figures.to_string();
}

}  // namespace ortool
