// Report of outputs and their highest scores; the terminal shows fewer of them than the document.
#include "apps/ortool/run/output_report.hpp"

#include <algorithm>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/value_block.hpp"

namespace ortool {
namespace {

std::vector<std::vector<TopEntry>> find_top(const Invocation& invocation,
                                            std::span<const Output> outputs,
                                            std::span<const std::string> labels) {
  const OptionValues& options = invocation.options;
  std::vector<std::vector<TopEntry>> tops(outputs.size());
  if (!options.has("top") && labels.empty()) return tops;
  const std::int64_t count = options.integer("top", 5, 1, 100000);
  bool has_any = false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].value.is_tensor()) continue;
    const Tensor& tensor = outputs[i].value.tensor();
    tops[i] = top_entries(tensor, count);
    has_any = has_any || !tops[i].empty();
    const std::int64_t classes = class_count(tensor.shape());
    if (tops[i].empty() || labels.empty() || classes == static_cast<std::int64_t>(labels.size())) {
      continue;
    }
    invocation.warn(format("{} labels for the {} classes of output {}", labels.size(), classes,
                           quote(outputs[i].name)));
  }
  if (!has_any) {
    throw Error(ErrorCode::invalid, "no output has scores for --top to rank",
                "leave --top and --labels out")
        .with_id("usage.applies_to_nothing");
  }
  return tops;
}

/// Each output's file; none without --output-dir, or if the output goes to standard output.
std::vector<std::string> write_where_asked(Invocation& invocation,
                                           std::span<const Output> outputs) {
  const OptionValues& options = invocation.options;
  if (!options.has("output-dir")) return {};
  const std::string wanted = options.text("output-format", "npy");
  const std::string folder = options.text("output-dir");
  if (folder == "-") {
    if (outputs.size() != 1) {
      throw Error(
          ErrorCode::invalid,
          format("option --output-dir: {} outputs do not fit into one stream", outputs.size()),
          format("select one: --outputs {}", outputs.front().name))
          .with_id("output.stream");
    }
    const auto bytes = std::make_shared<std::string>(output_bytes(wanted, outputs.front()));
    invocation.report.more_text = [bytes](TextSink& out) { out += *bytes; };
    return {};
  }
  std::vector<std::string> files = write_outputs(folder, wanted, outputs);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].ends_with(".json") || wanted == "json") continue;
    invocation.warn(format("output {} is written as JSON: {} cannot hold {}",
                           quote(outputs[i].name), wanted, dtype_text(outputs[i].value)));
  }
  return files;
}

void write_top(std::string& text, const Output& output, std::span<const TopEntry> entries,
               std::span<const std::string> labels) {
  constexpr std::size_t max_lines = 100;
  const bool has_rows = entries.back().row > 0;
  TextTable table({TextTable::Align::right, TextTable::Align::left, TextTable::Align::right});
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < std::min(entries.size(), max_lines); ++i) {
    rank = i > 0 && entries[i].row == entries[i - 1].row ? rank + 1 : 1;
    const auto index = static_cast<std::size_t>(entries[i].index);
    const std::string label = index < labels.size() ? labels[index] : std::to_string(index);
    const std::string place =
        has_rows ? format("row {}: {}", entries[i].row, rank) : std::to_string(rank);
    table.add_row({place, label, readable_number(entries[i].value)});
  }
  text += table.to_string(2);
  if (entries.size() > max_lines) {
    text += format("  ... and {} more of {}\n", entries.size() - max_lines, shorten(output.name));
  }
}

}  // namespace

void report_outputs(Invocation& invocation, std::span<const Output> outputs,
                    std::span<const std::string> labels) {
  Report& report = invocation.report;
  const auto tops = find_top(invocation, outputs, labels);
  const std::vector<std::string> files = write_where_asked(invocation, outputs);
  Json list = Json::list();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    Json block = run_value_block(output.name, output.value);
    if (!files.empty()) block.set("file", files[i]);
    TextTable table;
    std::vector<std::string> cells = {output.name, type_text(output.value)};
    if (tops[i].empty()) cells.push_back(content_text(output.value));
    if (!files.empty()) cells.push_back("in " + files[i]);
    table.add_row(std::move(cells));
    report.text += table.to_string();
    if (!tops[i].empty()) {
      write_top(report.text, output, tops[i], labels);
      block.set("top", top_block(tops[i], labels, tops[i].back().row + 1));
    }
    list.add(std::move(block));
  }
  report.payload.set("outputs", std::move(list));
}

}  // namespace ortool
