// Files of data sets, as JSON.
#include "apps/ortool/report/data_files_block.hpp"

namespace ortool {

Json data_files_block(const std::map<std::string, FileUse>& sets) {
  Json list = Json::list();
  for (const auto& [path, use] : sets) {
    Json skipped = Json::list();
    for (const SkippedFiles& each : use.skipped) {
      skipped.add(Json::object()
                      .set("kind", each.kind)
                      .set("count", each.count)
                      .set("reason", each.reason));
    }
    list.add(Json::object()
                 .set("set", path)
                 .set("found", use.found)
                 .set("used", use.used)
                 .set("skipped", std::move(skipped)));
  }
  return list;
}

}  // namespace ortool
