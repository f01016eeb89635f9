// Report of outputs and their highest scores; the terminal shows fewer of them than the document.
#include "apps/ortool/run/output_report.hpp"

#include <algorithm>

#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/ranked_scores.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool {
namespace {

void warn_if_not_finite(const Invocation& invocation, const Output& output) {
  const Statistics statistics = statistics_of(output.value.tensor());
  if (statistics.nan_count == 0 && statistics.inf_count == 0) return;
  std::string text = format("output {}: ", quote(output.name));
  if (statistics.nan_count > 0) {
    text += format("{} of {} scores are NaN, which have no rank", statistics.nan_count,
                   statistics.count);
  }
  if (statistics.inf_count > 0) {
    if (statistics.nan_count > 0) text += ", and ";
    text += format("{} of {} scores are infinite", statistics.inf_count, statistics.count);
  }
  invocation.warn(text + " (inspect --values --input shows where they arise)");
}

std::vector<RankedScores> find_top(const Invocation& invocation, std::span<const Output> outputs,
                                   std::span<const std::string> labels) {
  std::vector<RankedScores> tops(outputs.size());
  if (!invocation.options.has("top") && labels.empty()) return tops;
  bool has_any = false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!has_scores(outputs[i].value)) continue;
    const Tensor& tensor = outputs[i].value.tensor();
    warn_if_not_finite(invocation, outputs[i]);
    warn_of_scores(invocation, outputs[i].name, tensor, labels);
    tops[i] = rank_scores(invocation.options, tensor);
    has_any = true;
  }
  if (!has_any) {
    throw applies_to_nothing("no output has scores for --top to rank",
                             "leave --top and --labels out");
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

void write_top(std::string& text, const Output& output, const RankedScores& top,
               std::span<const std::string> labels) {
  constexpr std::size_t max_lines = 100;
  const std::vector<TopEntry>& entries = top.entries;
  if (entries.empty()) text += "  no ranks: every score is NaN\n";
  TextTable table({TextTable::Align::right, TextTable::Align::left, TextTable::Align::right});
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < std::min(entries.size(), max_lines); ++i) {
    rank = i > 0 && entries[i].row == entries[i - 1].row ? rank + 1 : 1;
    const std::string place =
        top.rows > 1 ? format("row {}: {}", entries[i].row, rank) : std::to_string(rank);
    table.add_row({place, class_text(entries[i].index, labels), readable_number(top.shown(i))});
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
    if (tops[i].rows == 0) cells.push_back(content_text(output.value));
    if (!files.empty()) cells.push_back("in " + files[i]);
    table.add_row(std::move(cells));
    report.text += table.to_string();
    if (tops[i].rows > 0) {
      write_top(report.text, output, tops[i], labels);
      block.set("top", top_block(tops[i].entries, tops[i].probabilities, labels, tops[i].rows));
    }
    list.add(std::move(block));
  }
  report.payload.set("outputs", std::move(list));
}

}  // namespace ortool
