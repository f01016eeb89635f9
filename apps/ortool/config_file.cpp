// Configuration file: converts JSON members to option values.
#include "apps/ortool/config_file.hpp"

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/unknown_name_of_many.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

std::string option_text(const OptionSpec& option, const Json& value) {
  const bool fits = !value.is_list() && !value.is_object() && !value.is_null() &&
                    value.is_flag() == option.is_flag();
  if (!fits) {
    throw Error(ErrorCode::invalid, format("'{}' has a value of the wrong type", option.name),
                option.is_flag() ? "give true or false" : "give a string or a number")
        .with_id("usage.value");
  }
  return value.is_text() ? value.text() : value.write_compact();
}

using FoundOptions = std::vector<std::pair<const OptionSpec*, std::vector<std::string>>>;

/// What the keys of a document may be.
struct KnownOptions {
  const std::vector<OptionGroup>& groups;
  std::string_view command;
  std::string_view where_all_are;
};

void add_members(const Json& members, const KnownOptions& known,
                 std::span<const std::unique_ptr<const Command>> commands, FoundOptions& found) {
  for (const auto& [key, value] : members.members()) {
    bool is_command = false;
    for (const auto& other : commands) is_command = is_command || other->name() == key;
    if (is_command && value.is_object()) {
      if (known.command == key) add_members(value, known, {}, found);
      continue;
    }
    const OptionSpec* option = find_option(known.groups, key);
    if (option == nullptr || key == "config" || key == "help") {
      throw unknown_name_of_many("option", key, option_names(known.groups, ""),
                                 std::string(known.where_all_are));
    }
    std::vector<std::string> values;
    if (value.is_list() && option->repeats) {
      if (value.items().empty()) {
        throw Error(ErrorCode::invalid, format("'{}' is an empty list", option->name),
                    "give it a value, or leave it out")
            .with_id("usage.value");
      }
      for (const Json& item : value.items()) values.push_back(option_text(*option, item));
    } else {
      values.push_back(option_text(*option, value));
    }
    for (const std::string& text : values) check_option(*option, text);
    found.emplace_back(option, std::move(values));
  }
}

}  // namespace

void read_options(const Json& document, const std::vector<OptionGroup>& groups,
                  std::string_view name, std::string_view where_all_are,
                  std::span<const std::unique_ptr<const Command>> commands, OptionValues& options) {
  if (!document.is_object()) {
    throw Error(ErrorCode::invalid, "does not hold a JSON object",
                "write {\"threads\": 2} with one key per option")
        .with_id("usage.value");
  }
  FoundOptions found;
  add_members(document, {groups, name, where_all_are}, commands, found);
  // An entry under the command's name need not come later in `found`, and the last one wins, as it
  // does on a command line.
  OptionValues from_document;
  for (auto& [option, values] : found) from_document.set(option->name, std::move(values));
  for (const auto& [option, values] : found) {
    if (options.has(option->name)) continue;
    const auto all = from_document.all(option->name);
    options.set(option->name, {all.begin(), all.end()});
  }
}

void read_config_file(const std::string& path, const Command& command,
                      std::span<const std::unique_ptr<const Command>> commands,
                      OptionValues& options) {
  const Json document = parse_json(read_text_file(path, max_config_bytes), path);
  try {
    read_options(document, all_options(command), command.name(), where_all_are(command), commands,
                 options);
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool
