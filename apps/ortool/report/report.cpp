// Report: the envelope of every command's JSON document.
#include "apps/ortool/report/report.hpp"

#include <algorithm>

#include "apps/ortool/report/environment.hpp"
#include "libcore/base/version.hpp"

namespace ortool {
namespace {

constexpr std::string_view schema_version = "2.0";

Json error_entry(const Error& error) {
  Json entry = Json::object();
  entry.set("id", error.id().empty() ? Json() : Json(error.id()));
  entry.set("message", error.what());
  entry.set("node", error.node().empty() ? Json() : Json(error.node()));
  entry.set("hint", error.hint().empty() ? Json() : Json(error.hint()));
  entry.set("trail", Json::list_of(error.trail()));
  return entry;
}

std::string_view status_of(int exit_code) {
  switch (exit_code) {
    case 0:
      return "ok";
    case 1:
      return "negative";
    case 3:
      return "no_conclusion";
    case 124:
      return "timeout";
    case 130:
      return "interrupted";
    case 143:
      return "terminated";
    default:
      return "error";
  }
}

}  // namespace

bool Report::add_warning(std::string_view warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) != warnings_.end()) return false;
  warnings_.emplace_back(warning);
  return true;
}

void Report::add_note(std::string_view note) {
  if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.emplace_back(note);
}

void Report::add_error(const Error& error) {
  errors_.add(error_entry(error));
  for (const Error& part : error.parts()) errors_.add(error_entry(part));
}

void Report::add_provider(const Json& provider) {
  for (const Json& known : providers_.items()) {
    if (known.find("name")->text() == provider.find("name")->text()) return;
  }
  providers_.add(provider);
}

Json Report::envelope(std::string_view command, const std::vector<std::string>& arguments,
                      int exit_code) const {
  Json tool = Json::object();
  tool.set("name", "ortool").set("version", version()).set("commit", commit());
  Json block = Json::object();
  block.set("schema_version", schema_version)
      .set("tool", std::move(tool))
      .set("command", command.empty() ? Json() : Json(command))
      .set("argv", Json::list_of(arguments))
      .set("status", status_of(exit_code))
      .set("exit_code", exit_code)
      .set("model", model)
      .set("environment", environment_block(providers_))
      .set("warnings", Json::list_of(warnings_))
      .set("notes", Json::list_of(notes_))
      .set("errors", errors_);
  return block;
}

void Report::write_document(std::string_view command, const std::vector<std::string>& arguments,
                            int exit_code, TextSink& out) const {
  envelope(command, arguments, exit_code).write_with(payload, out);
}

void Report::write_header_line(std::string_view command, const std::vector<std::string>& arguments,
                               int exit_code, TextSink& out) const {
  Json line = Json::object().set("kind", "header");
  Json block = envelope(command, arguments, exit_code);
  for (auto& [key, value] : block.members()) line.set(key, std::move(value));
  line.write_compact(out);
  out += '\n';
}

}  // namespace ortool
