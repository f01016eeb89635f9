// Report of optimize: tables of passes and of near misses of rules.
#include "apps/ortool/optimize/optimize_report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "apps/ortool/optimize/optimize_settings.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

std::string_view name_of_evidence(Evidence evidence) {
  return evidence == Evidence::exhaustive ? "exhaustive" : "sampled";
}

/// The remaining refusals, in order.
std::vector<const RewriteEvent*> near_misses(const RewriteReport& report) {
  std::set<std::pair<std::string_view, std::string_view>> done;
  for (const RewriteEvent& event : report.events) {
    if (event.reason.empty()) done.emplace(event.rule, event.node);
  }
  std::vector<const RewriteEvent*> misses;
  for (const RewriteEvent& event : report.events) {
    if (event.reason.empty() || !done.emplace(event.rule, event.node).second) continue;
    misses.push_back(&event);
  }
  return misses;
}

std::string signed_count(std::int64_t count) {
  return count > 0 ? format("+{}", count) : format("{}", count);
}

std::string signed_bytes(std::int64_t bytes) {
  if (bytes == 0) return "0";
  const double size = static_cast<double>(bytes < 0 ? -bytes : bytes);
  return (bytes < 0 ? "-" : "+") + readable_bytes(size);
}

}  // namespace

Json passes_block(const RewriteReport& report, ModelSize before) {
  Json list = Json::list();
  for (const PassRecord& record : report.passes) {
    const ModelSize after{before.nodes + record.nodes_added,
                          before.bytes + record.constant_bytes_added};
    list.add(Json::object()
                 .set("name", record.name)
                 .set("applied", record.applied)
                 .set("ms", record.milliseconds)
                 .set("nodes_before", before.nodes)
                 .set("nodes_after", after.nodes)
                 .set("bytes_before", before.bytes)
                 .set("bytes_after", after.bytes));
    before = after;
  }
  return list;
}

Json near_misses_block(const RewriteReport& report) {
  Json list = Json::list();
  for (const RewriteEvent* event : near_misses(report)) {
    list.add(Json::object()
                 .set("rule", event->rule)
                 .set("node", event->node)
                 .set("reason", event->reason));
  }
  return list;
}

Json closest_block(std::span<const ClosestMatch> matches) {
  Json list = Json::list();
  for (const ClosestMatch& match : matches) {
    Json nodes = Json::list();
    for (const std::string& node : match.nodes) nodes.add(node);
    list.add(Json::object()
                 .set("rule", match.rule)
                 .set("node", match.node)
                 .set("found", match.nodes.size())
                 .set("expected", match.expected)
                 .set("nodes", std::move(nodes))
                 .set("reason", match.reason));
  }
  return list;
}

Json pass_list_block(std::span<const PassDescription> passes) {
  Json list = Json::list();
  for (const PassDescription& pass : passes) {
    list.add(Json::object()
                 .set("name", pass.name)
                 .set("level", name_of(pass.level))
                 .set("on_request", pass.is_on_request)
                 .set("summary", pass.summary)
                 .set("evidence", name_of_evidence(pass.evidence)));
  }
  return list;
}

std::string passes_text(const RewriteReport& report) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add_row({"pass", "times", "nodes", "weights", "time"});
  bool has_any = false;
  for (const PassRecord& record : report.passes) {
    if (record.applied == 0) continue;
    has_any = true;
    table.add_row({std::string(record.name), format("{}", record.applied),
                   signed_count(record.nodes_added), signed_bytes(record.constant_bytes_added),
                   readable_ms(record.milliseconds)});
  }
  return has_any ? table.to_string(2) : "  no pass changes anything\n";
}

std::string near_misses_text(const RewriteReport& report) {
  constexpr std::size_t max_reasons = 3;
  struct Row {
    const RewriteEvent* first;
    std::int64_t places;
  };
  std::vector<std::string_view> rules;
  std::map<std::string_view, std::vector<Row>> rows_of;
  for (const RewriteEvent* event : near_misses(report)) {
    std::vector<Row>& rows = rows_of[event->rule];
    if (rows.empty()) rules.push_back(event->rule);
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.first->reason == event->reason;
    });
    if (same != rows.end()) {
      ++same->places;
    } else {
      rows.push_back({event, 1});
    }
  }
  TextTable table;
  for (const std::string_view rule : rules) {
    const std::vector<Row>& rows = rows_of[rule];
    for (std::size_t i = 0; i < std::min(rows.size(), max_reasons); ++i) {
      std::string place = shorten(rows[i].first->node, 60);
      if (rows[i].places > 1) place += format(" and {} more", rows[i].places - 1);
      table.add_row({std::string(rule), std::move(place), rows[i].first->reason});
    }
    if (rows.size() > max_reasons) {
      table.add_row({std::string(rule), "...",
                     format("{} more reasons (--json lists all)", rows.size() - max_reasons)});
    }
  }
  if (table.is_empty()) return "no near misses\n";
  return "near misses:\n" + table.to_string(2);
}

std::string closest_text(std::span<const ClosestMatch> matches) {
  TextTable table;
  for (const ClosestMatch& match : matches) {
    table.add_row({std::string(match.rule), shorten(match.node, 60),
                   format("{} of {} nodes", match.nodes.size(), match.expected), match.reason});
  }
  return table.is_empty() ? "" : "partial matches:\n" + table.to_string(2);
}

std::string pass_list_text(std::span<const PassDescription> passes) {
  TextTable table;
  for (const PassDescription& pass : passes) {
    const std::string_view level = pass.is_on_request ? "on request" : name_of(pass.level);
    table.add_row({std::string(pass.name), std::string(level),
                   std::string(name_of_evidence(pass.evidence)), std::string(pass.summary)});
  }
  return table.to_string();
}

}  // namespace ortool
