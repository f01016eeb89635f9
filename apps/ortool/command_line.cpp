// Command-line parser. The only file that uses CLI11, which splits words; messages are our own.
#include "apps/ortool/command_line.hpp"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/ortool/option_synonyms.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/base/strings/unknown_name_of_many.hpp"

namespace ortool {
namespace {

std::string dashed_names(const OptionSpec& option) {
  std::string names;
  if (option.letter != 0) names.append("-").append(1, option.letter).append(",");
  return names.append("--").append(option.name);
}

[[noreturn]] void refuse_unknown(const Command& command, const std::vector<OptionGroup>& groups,
                                 std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  const std::string_view bare =
      std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string_view meant = option_for_synonym(bare, groups);
  if (!meant.empty())
    throw Error(ErrorCode::invalid, format("unknown option {}", quote(name)),
                format("it is {} here; {}", meant, where_all_are(command)))
        .with_id("usage.unknown_name");
  throw unknown_name_of_many("option", name, option_names(groups, "--"), where_all_are(command));
}

/// CLI11 would take the next word as the value of "--name=".
void check_empty_value(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw Error(ErrorCode::invalid,
                  format("option {} has no value", word.substr(0, word.size() - 1)),
                  "write the value after the equals sign")
          .with_id("usage.value");
    }
  }
}

/// The same value given twice is harmless.
void check_given_once(const OptionSpec& option, std::span<const std::string> values) {
  for (const std::string& value : values) {
    if (value == values.front()) continue;
    throw Error(ErrorCode::invalid,
                format("option --{} is given twice: {} and {}", option.name, quote(values.front()),
                       quote(value)),
                "leave one of them out")
        .with_id("usage.twice");
  }
}

}  // namespace

CommandLine parse_command_line(const Command& command, std::span<const std::string> words) {
  check_empty_value(words);
  const std::vector<OptionGroup> groups = all_options(command);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const OptionSpec*, CLI::Option*>> added;
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      CLI::Option* entry = option.is_flag() ? app.add_flag(dashed_names(option))
                                            : app.add_option(dashed_names(option));
      if (!option.is_flag()) {
        entry->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
      }
      added.emplace_back(&option, entry);
    }
  }
  CommandLine line;
  app.add_option("arguments", line.arguments);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what();
    throw Error(ErrorCode::invalid,
                format("option {} has no value",
                       escape_control_characters(std::string(text.substr(0, text.find(':'))))),
                "write the value after the option; -h shows the options and their values")
        .with_id("usage.value");
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::invalid, escape_control_characters(error.what()),
                "-h shows the options and their values")
        .with_id("usage.syntax");
  }
  for (const std::string& word : app.remaining()) refuse_unknown(command, groups, word);
  for (const auto& [option, entry] : added) {
    if (entry->count() == 0) continue;
    std::vector<std::string> values = entry->results();
    for (const std::string& value : values) check_option(*option, value);
    if (!option->is_flag() && !option->repeats) check_given_once(*option, values);
    line.options.set(option->name, std::move(values));
  }
  return line;
}

}  // namespace ortool
