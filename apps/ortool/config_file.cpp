// Configuration file: converts JSON members to option values.
#include "apps/ortool/config_file.hpp"

#include "apps/ortool/command_line.hpp"
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

void add_members(const Json& members, const std::vector<OptionGroup>& groups,
                 std::vector<std::pair<const OptionSpec*, std::vector<std::string>>>& found,
                 const Command& command, std::span<const std::unique_ptr<const Command>> commands) {
  for (const auto& [key, value] : members.members()) {
    bool is_command = false;
    for (const auto& other : commands) is_command = is_command || other->name() == key;
    if (is_command && value.is_object()) {
      if (command.name() == key) add_members(value, groups, found, command, {});
      continue;
    }
    const OptionSpec* option = find_option(groups, key);
    if (option == nullptr || key == "config" || key == "help") {
      throw unknown_name_of_many("option", key, option_names(groups, ""), where_all_are(command));
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

void read_config_file(const std::string& path, const Command& command,
                      std::span<const std::unique_ptr<const Command>> commands,
                      OptionValues& options) {
  const Json document = parse_json(read_text_file(path, max_config_bytes), path);
  try {
    if (!document.is_object()) {
      throw Error(ErrorCode::invalid, "does not hold a JSON object",
                  "write {\"threads\": 2} with one key per option");
    }
    const std::vector<OptionGroup> groups = all_options(command);
    std::vector<std::pair<const OptionSpec*, std::vector<std::string>>> found;
    add_members(document, groups, found, command, commands);
    // An entry under the command's name need not come later in `found`, and the last one wins,
    // as it does on a command line.
    OptionValues from_file;
    for (auto& [option, values] : found) from_file.set(option->name, std::move(values));
    for (const auto& [option, values] : found) {
      if (options.has(option->name)) continue;
      const auto all = from_file.all(option->name);
      options.set(option->name, {all.begin(), all.end()});
    }
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool
