// Report of inspect --check: one row per finding, errors first, and a line with counts.
#include "apps/ortool/inspect/check_report.hpp"

#include <algorithm>
#include <utility>

#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/check/check_model.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_check_rows = 200;

std::int64_t count_of(const CheckResult& result, Severity severity) {
  return std::count_if(result.findings.begin(), result.findings.end(),
                       [&](const Finding& finding) { return finding.severity == severity; });
}

Json findings_block(const CheckResult& result) {
  Json list = Json::list();
  for (const Finding& finding : result.findings) {
    list.add(Json::object()
                 .set("rule", finding.rule)
                 .set("severity", name_of(finding.severity))
                 .set("node", text_or_null(finding.node))
                 .set("value", text_or_null(finding.value))
                 .set("message", finding.message)
                 .set("hint", text_or_null(finding.remedy)));
  }
  return list;
}

/// Rows of findings, then the remedy of each violated rule, once.
std::string findings_text(const CheckResult& result) {
  if (result.findings.empty()) return "no findings\n";
  TextTable table;
  TextTable remedies;
  std::string_view last_rule;
  const std::size_t shown = std::min(max_check_rows, result.findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& finding = result.findings[i];
    const std::string place = finding.node.empty() ? "" : "node " + finding.node + ": ";
    table.add_row({std::string(name_of(finding.severity)), finding.rule,
                   cut_to(printable(place + finding.message), 600)});
    const bool is_advice = finding.severity != Severity::info && !finding.remedy.empty();
    if (is_advice && finding.rule != last_rule) {
      remedies.add_row({"hint", finding.rule, cut_to(printable(finding.remedy), 300)});
      last_rule = finding.rule;
    }
  }
  std::string text = table.to_string();
  const auto left_out = static_cast<std::int64_t>(result.findings.size() - shown) + result.left_out;
  if (left_out > 0) text += format("... and {} more\n", left_out);
  text += remedies.to_string();
  const auto counted = [&](Severity severity, std::string_view noun) {
    const auto count = count_of(result, severity);
    return format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  return text + format("{}, {}, {}\n", counted(Severity::error, "error"),
                       counted(Severity::warning, "warning"), counted(Severity::info, "remark"));
}

Error to_error(const Finding& finding) {
  Error error(ErrorCode::invalid, finding.message, finding.remedy);
  error.with_id(finding.rule);
  const auto split = finding.node.rfind("' (");
  if (split != std::string::npos && finding.node.size() > split + 4) {
    error.at_node(finding.node.substr(1, split - 1),
                  finding.node.substr(split + 3, finding.node.size() - split - 4));
  }
  return error;
}

}  // namespace

LoadedModel check_model_argument(const Invocation& invocation, const LoadOptions& options,
                                 bool is_text) {
  LoadedModel loaded = find_model_argument(invocation);
  CheckResult result = check_model(loaded.path, options, invocation.stop, [&](Model& model) {
    apply_shape_options(invocation.options, model);
  });
  Report& report = invocation.report;
  report.payload.set("findings", findings_block(result)).set("findings_omitted", result.left_out);
  if (is_text) report.text += findings_text(result);
  loaded.model = std::move(result.model);
  if (loaded.model != nullptr) describe_model_argument(invocation, loaded);
  Error all(ErrorCode::invalid, "the model is not valid", "stdout lists every finding");
  for (const Finding& finding : result.findings) {
    if (finding.severity == Severity::error) all.add_part(to_error(finding));
  }
  if (!all.parts().empty()) throw all.with_id("model.invalid").in(loaded.path);
  // Valid as far as can be determined, but of a kind that ortool does not support.
  if (loaded.model == nullptr) throw result.load_error->in(loaded.path);
  return loaded;
}

}  // namespace ortool
