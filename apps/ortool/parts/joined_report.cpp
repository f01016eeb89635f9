// Joined report: lists are concatenated in the order of the shards.
#include "apps/ortool/parts/joined_report.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

void add_once(std::vector<std::string>& texts, std::string_view text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.emplace_back(text);
}

std::vector<std::string> texts_of(const Json& document, std::string_view key) {
  std::vector<std::string> texts;
  const Json* list = document.find(key);
  if (list == nullptr || !list->is_list()) return texts;
  for (const Json& each : list->items()) {
    if (each.is_text()) texts.push_back(each.text());
  }
  return texts;
}

Json* member_of(Json& object, std::string_view key) {
  for (auto& [name, value] : object.members()) {
    if (name == key) return &value;
  }
  return nullptr;
}

[[noreturn]] void refuse_document() {
  throw Error(ErrorCode::invalid, "the part has no valid report",
              "run its shard again to replace it")
      .with_id("part.content");
}

}  // namespace

Json unfinished_document(const Report& report) {
  StringSink sink;
  report.write_document("", {}, report.verdict, sink);
  Json document = parse_json(sink.take(), "report");
  auto& members = document.members();
  std::erase_if(members, [](const auto& each) {
    for (const char* key : {"schema_version", "tool", "command", "argv", "status", "exit_code"}) {
      if (each.first == key) return true;
    }
    return false;
  });
  return document;
}

Json finished_document(const Json& unfinished, std::string_view command,
                       const std::vector<std::string>& arguments, int exit_code) {
  StringSink sink;
  Report().write_document(command, arguments, exit_code, sink);
  Json document = parse_json(sink.take(), "report");
  for (const auto& [key, value] : unfinished.members()) {
    if (Json* old = member_of(document, key)) {
      *old = value;
    } else {
      document.set(key, value);
    }
  }
  return document;
}

void JoinedReport::add(const Json& document, std::string_view once) {
  if (!document.is_object()) refuse_document();
  for (const std::string& text : texts_of(document, "warnings")) {
    if (text == once && has_once_) continue;
    has_once_ = has_once_ || text == once;
    add_once(warnings_, text);
  }
  for (const std::string& text : texts_of(document, "notes")) add_once(notes_, text);
  const Json* errors = document.find("errors");
  if (errors == nullptr || !errors->is_list()) refuse_document();
  for (const Json& error : errors->items()) errors_.add(error);
  if (first_.is_null()) first_ = document;
}

void JoinedReport::add_warning(std::string_view text) {
  add_once(warnings_, text);
}

void JoinedReport::add_note(std::string_view text) {
  add_once(notes_, text);
}

void JoinedReport::set(std::string_view key, Json value) {
  if (Json* old = member_of(first_, key)) {
    *old = std::move(value);
  } else {
    first_.set(key, std::move(value));
  }
}

void JoinedReport::append_lists(const std::vector<Json>& documents, std::string_view key) {
  Json whole = Json::list();
  for (const Json& document : documents) {
    const Json* list = document.find(key);
    if (list == nullptr || !list->is_list()) refuse_document();
    for (const Json& item : list->items()) whole.add(item);
  }
  set(key, std::move(whole));
}

Json JoinedReport::take() {
  set("warnings", Json::list_of(warnings_));
  set("notes", Json::list_of(notes_));
  set("errors", std::move(errors_));
  return std::move(first_);
}

}  // namespace ortool
