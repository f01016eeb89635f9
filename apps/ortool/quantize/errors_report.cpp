// Errors of quantized models: signal-to-noise ratios, cosines, and agreement of classes.
#include "apps/ortool/quantize/errors_report.hpp"

#include <algorithm>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

Json outputs_block(std::span<const OutputError> outputs) {
  Json list = Json::list();
  for (const OutputError& output : outputs) {
    const double ranked = static_cast<double>(output.ranked);
    list.add(Json::object()
                 .set("output", output.name)
                 .set("sqnr_db", output.sums.sqnr_db())
                 .set("cosine", output.sums.cosine())
                 .set("top1_agreement", output.ranked > 0
                                            ? Json(static_cast<double>(output.same_first) / ranked)
                                            : Json()));
  }
  return list;
}

std::string outputs_text(std::span<const OutputError> outputs) {
  std::string text;
  for (const OutputError& output : outputs) {
    text += format("output {}: SQNR {}, cosine {}", shorten(output.name),
                   decibels(output.sums.sqnr_db()), fixed_number(output.sums.cosine(), 6));
    if (output.ranked > 0)
      text += format(", the same class for {} of {}", output.same_first, output.ranked);
    text += "\n";
  }
  return text;
}

std::string worst_errors_text(std::vector<ToldError> errors, std::size_t most) {
  std::stable_sort(errors.begin(), errors.end(), [](const ToldError& a, const ToldError& b) {
    return a.sums->sqnr_db() < b.sums->sqnr_db();
  });
  if (errors.size() > most) errors.resize(most);
  if (errors.empty()) return {};
  TextTable table({TextTable::Align::left, TextTable::Align::left, TextTable::Align::right,
                   TextTable::Align::right, TextTable::Align::right});
  table.add_row({"node", "operator", "SQNR", "cosine", "largest error"});
  for (const ToldError& each : errors) {
    table.add_row({shorten(each.node, 60), each.op_type, decibels(each.sums->sqnr_db()),
                   fixed_number(each.sums->cosine(), 6),
                   readable_number(each.sums->max_abs_error())});
  }
  return "furthest from the float model:\n" + table.to_string(2);
}

ErrorsReport describe_errors(const ErrorRecord& record) {
  constexpr std::size_t max_nodes_told = 5;
  ErrorsReport report;
  report.outputs = outputs_block(record.outputs);
  report.errors = Json::list();
  std::vector<ToldError> told;
  for (const ValueError& each : record.values) {
    report.errors.add(Json::object()
                          .set("node", each.node)
                          .set("origin", Json::list())
                          .set("op_type", each.op_type)
                          .set("value", each.value)
                          .set("sqnr_db", each.sums.sqnr_db())
                          .set("cosine", each.sums.cosine())
                          .set("max_abs_error", each.sums.max_abs_error()));
    told.push_back({each.node, each.op_type, &each.sums});
  }
  report.text = format("compared on {} samples\n", record.samples) + outputs_text(record.outputs) +
                worst_errors_text(std::move(told), max_nodes_told);
  return report;
}

}  // namespace ortool
