// Help texts in columns of at most 100 characters.
#include "apps/ortool/help.hpp"

#include <algorithm>
#include <array>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_columns = 100;

constexpr std::array<ExitCode, 11> exit_code_list = {{
    {0, "done"},
    {1, "done, with a negative result"},
    {2, "usage error or bad input"},
    {3, "inconclusive"},
    {4, "provider not available"},
    {5, "not supported"},
    {6, "memory limit"},
    {7, "cannot write"},
    {124, "time-out"},
    {130, "interrupted"},
    {143, "terminated"},
}};

/// The exit codes in lines of at most `max_columns`, separated by dots.
std::string exit_code_text() {
  std::string text;
  std::string line = "Exit codes:";
  std::string_view separator = " ";
  for (const ExitCode& code : exit_code_list) {
    const std::string entry = format("{} {}", code.code, code.meaning);
    if (line.size() + entry.size() + separator.size() > max_columns) {
      text += line + "\n";
      line = " ";
      separator = " ";
    }
    line.append(separator).append(entry);
    separator = " · ";
  }
  return text + line + "\n";
}

std::string usage_line(const Command& command) {
  std::string line = "Usage: ortool " + std::string(command.name());
  for (const ArgumentSpec& argument : command.arguments()) {
    const std::string name(argument.name);
    line += argument.is_required ? " " + name : " [" + name + "]";
    if (argument.repeats) line += " [...]";
  }
  return line + " [options]\n";
}

std::string option_column(const OptionSpec& option) {
  std::string text = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
  text.append("--").append(option.name);
  if (!option.is_flag()) text.append(" ").append(option.value);
  return text;
}

/// Wraps a text into lines of at most `columns` bytes; longer words get their own line.
std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool fits = lines.back().size() + 1 + word.size() <= columns;
    if (!lines.back().empty() && !fits) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

/// One line per option, its help wrapped below itself; empty if all options are planned.
std::string options_text(const std::vector<OptionSpec>& options) {
  constexpr std::size_t before_columns = 2;
  constexpr std::size_t between_columns = 2;
  std::size_t name_columns = 0;
  for (const OptionSpec& option : options) {
    if (!option.is_planned) name_columns = std::max(name_columns, option_column(option).size());
  }
  const std::size_t help_begin = before_columns + name_columns + between_columns;
  std::string text;
  for (const OptionSpec& option : options) {
    if (option.is_planned) continue;
    std::string head(before_columns, ' ');
    head += option_column(option);
    for (const std::string& line : wrap(option_help(option), max_columns - help_begin)) {
      text += head.append(help_begin - head.size(), ' ') + line + "\n";
      head.clear();
    }
  }
  return text;
}

/// Each purpose after its line if all of them fit, otherwise above it.
std::string examples_text(std::span<const Example> examples) {
  std::size_t line_columns = 0;
  std::size_t purpose_columns = 0;
  TextTable table;
  std::string above;
  for (const Example& example : examples) {
    line_columns = std::max(line_columns, example.line.size());
    purpose_columns = std::max(purpose_columns, example.purpose.size());
    table.add_row({std::string(example.line), "# " + std::string(example.purpose)});
    above.append("  # ").append(example.purpose).append("\n");
    above.append("  ").append(example.line).append("\n");
  }
  constexpr std::size_t between_columns = 6;
  return line_columns + purpose_columns + between_columns <= max_columns ? table.to_string(2)
                                                                         : above;
}

}  // namespace

std::span<const ExitCode> exit_codes() {
  return exit_code_list;
}

std::string option_help(const OptionSpec& option) {
  return option.help.empty() ? list_names(option.choices) : std::string(option.help);
}

std::string program_help(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text =
      "ortool runs, inspects, optimizes, quantizes and benchmarks neural networks stored as ONNX "
      "files.\n\nExamples:\n";
  for (const auto& command : commands) {
    if (command->examples().empty()) continue;
    text.append("  ").append(command->examples().front().line).append("\n");
  }
  text += "\nUsage: ortool COMMAND MODEL [options]\n\nCommands:\n";
  TextTable table;
  for (const auto& command : commands) {
    table.add_row({std::string(command->name()), std::string(command->summary())});
  }
  table.add_row({"help", "show this help, or the help of a command"});
  table.add_row({"version", "show the version"});
  text += table.to_string(2);
  text += "\n`ortool COMMAND --help` shows a command's usual options, with --all every option.\n\n";
  return text + exit_code_text();
}

std::string command_help(const Command& command, HelpScope scope) {
  constexpr std::size_t most_frequent_examples = 3;
  const bool is_whole = scope == HelpScope::all || command.frequent_options().empty();
  std::string text = usage_line(command);
  text.append("  ").append(command.summary()).append("\n");
  TextTable arguments;
  for (const ArgumentSpec& argument : command.arguments()) {
    arguments.add_row({std::string(argument.name), std::string(argument.help)});
  }
  if (!arguments.is_empty()) text += "\n" + arguments.to_string(2);
  std::vector<Example> examples = command.examples();
  if (!is_whole) examples.resize(std::min(examples.size(), most_frequent_examples));
  if (!examples.empty()) text += "\nExamples:\n" + examples_text(examples);
  if (!is_whole) text += "\n";
  for (const OptionGroup& group : is_whole ? all_options(command) : frequent_options(command)) {
    const std::string options = options_text(group.options);
    if (options.empty()) continue;
    text.append(is_whole ? "\n" : "").append(group.title).append(":\n").append(options);
  }
  return is_whole ? text : text + "\n" + where_all_are(command) + "\n";
}

Json help_block(std::span<const std::unique_ptr<const Command>> commands) {
  Json list = Json::list();
  for (const auto& command : commands) {
    Json entry = Json::object();
    entry.set("name", command->name()).set("summary", command->summary());
    Json arguments = Json::list();
    for (const ArgumentSpec& argument : command->arguments()) {
      arguments.add(Json::object()
                        .set("name", argument.name)
                        .set("help", argument.help)
                        .set("required", argument.is_required));
    }
    Json options = Json::list();
    for (const OptionGroup& group : all_options(*command)) {
      for (const OptionSpec& option : group.options) {
        Json row = Json::object();
        row.set("name", "--" + std::string(option.name))
            .set("value", option.is_flag() ? Json() : Json(option.value))
            .set("help", option_help(option))
            .set("group", group.title)
            .set("repeats", option.repeats)
            .set("choices", Json::list_of(option.choices))
            .set("minimum", option.range ? Json(option.range->least) : Json())
            .set("maximum", option.range ? Json(option.range->most) : Json())
            .set("list", option.is_list)
            .set("planned", option.is_planned);
        options.add(std::move(row));
      }
    }
    Json examples = Json::list();
    for (const Example& example : command->examples()) {
      examples.add(Json::object().set("line", example.line).set("purpose", example.purpose));
    }
    entry.set("arguments", std::move(arguments))
        .set("options", std::move(options))
        .set("examples", std::move(examples));
    list.add(std::move(entry));
  }
  return Json::object().set("commands", std::move(list));
}

}  // namespace ortool
