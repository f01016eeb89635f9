// Lowering report: tables and JSON of the lowering passes.
#include "apps/ortool/report/lowering_report.hpp"

#include <string_view>

#include "apps/ortool/report/level_names.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
Json lowering_block(const LoweringReport& report) {
  Json list = Json::list();
  for (const LoweringRecord& record : report.passes) {
    Json entry = Json::object();
    entry.set("name", record.name)
        .set("nodes_before", record.nodes_before)
        .set("nodes_after", record.nodes_after)
        .set("applied", record.applied)
        .set("ms", record.milliseconds);
    if (record.name == rewrite_pass_name) {
      Json rules = Json::list();
      for (const PassRecord& pass : report.rewrites.passes) {
        if (pass.applied == 0) continue;
        rules.add(Json::object()
                      .set("name", pass.name)
                      .set("applied", pass.applied)
                      .set("nodes_added", pass.nodes_added)
                      .set("ms", pass.milliseconds));
      }
      entry.set("rules", std::move(rules));
    }
    list.add(std::move(entry));
  }
  return list;
}

std::string lowering_text(const LoweringReport& report) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.add_row({"pass", "changes", "nodes", "time"});
  for (const LoweringRecord& record : report.passes) {
    table.add_row({std::string(record.name), format("{}", record.applied),
                   record.nodes_before == record.nodes_after
                       ? format("{}", record.nodes_after)
                       : format("{} -> {}", record.nodes_before, record.nodes_after),
                   readable_ms(record.milliseconds)});
    if (record.name != rewrite_pass_name) continue;
    for (const PassRecord& pass : report.rewrites.passes) {
      if (pass.applied == 0) continue;
      table.add_row({"  " + std::string(pass.name), format("{}", pass.applied), "",
                     readable_ms(pass.milliseconds)});
    }
  }
  return "lowering:\n" + table.to_string(2);
}

Json lowering_list_block() {
  Json list = Json::list();
  for (const LoweringPassInfo& pass : describe_lowering()) {
    list.add(Json::object()
                 .set("name", pass.name)
                 .set("level", name_of(pass.level))
                 .set("required", pass.is_required)
                 .set("summary", pass.summary));
  }
  return list;
}

std::string lowering_list_text() {
  TextTable table;
  for (const LoweringPassInfo& pass : describe_lowering()) {
    table.add_row({std::string(pass.name), std::string(name_of(pass.level)),
                   pass.is_required ? "required" : "", std::string(pass.summary)});
  }
  return "lowering, when a session is created (run, bench, inspect):\n" + table.to_string(2);
}

}  // namespace ortool
