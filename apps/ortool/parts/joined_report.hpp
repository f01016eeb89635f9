// Joined report: the JSON report of one process, made of those of its shards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/report/report.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// The report so far, without what describes how the command ended: model, environment, warnings,
/// notes, errors and the payload.
Json unfinished_document(const Report& report);

/// The document that a command prints, of an unfinished one.
Json finished_document(const Json& unfinished, std::string_view command,
                       const std::vector<std::string>& arguments, int exit_code);

/// Joins unfinished documents: warnings, notes and errors of all, each warning and note once; all
/// else is that of the first shard.
class JoinedReport {
 public:
  /// `once`: a warning of which only the first counts; may be empty.
  void add(const Json& document, std::string_view once = {});
  void add_warning(std::string_view text);
  void add_note(std::string_view text);
  /// Replaces a member of the payload.
  void set(std::string_view key, Json value);
  /// Appends the items of a list of the payload of each document.
  void append_lists(const std::vector<Json>& documents, std::string_view key);
  const std::vector<std::string>& warnings() const { return warnings_; }
  Json take();

 private:
  Json first_;
  std::vector<std::string> warnings_;
  std::vector<std::string> notes_;
  Json errors_ = Json::list();
  bool has_once_ = false;
};

}  // namespace ortool
