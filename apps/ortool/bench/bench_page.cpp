// HTML report of bench: the document with plots, in one file.
#include "apps/ortool/bench/bench_page.hpp"

#include <algorithm>
#include <ctime>

#include "apps/ortool/report/page_writer.hpp"
#include "libcore/base/version.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_quantiles = 400;

/// Quantiles for plotting the distribution: evenly spaced over the sorted samples, with both ends.
Json quantiles(const std::vector<double>& sorted) {
  const std::size_t count = std::min(sorted.size(), max_quantiles);
  Json list = Json::list();
  for (std::size_t i = 0; i < count; ++i) {
    list.add(sorted[count < 2 ? 0 : i * (sorted.size() - 1) / (count - 1)]);
  }
  return list;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::string text(10, '\0');
  std::strftime(text.data(), text.size() + 1, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace

std::string bench_page_text(const BenchFindings& findings, const Json& payload) {
  Json document = Json::object();
  document.set("tool", Json::object().set("version", version())).set("date", today());
  document.set("warnings", Json::list_of(findings.warnings));
  document.set("notes", Json::list_of(findings.notes));
  for (const auto& [key, value] : payload.members()) {
    if (key != "results") document.set(key, value);
  }
  Json results = Json::list();
  for (const VariantResult& result : findings.results) {
    Json block = result_block(result, false);
    if (result.was_measured()) block.set("quantiles_ms", quantiles(result.sorted_ms));
    results.add(std::move(block));
  }
  document.set("results", std::move(results));
  StringSink page;
  write_page(bench_page, "ortool bench", document, page);
  return page.take();
}

}  // namespace ortool
