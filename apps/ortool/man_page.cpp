// Manual pages in roff, generated from the tables that also drive parsing and help.
#include "apps/ortool/man_page.hpp"

#include <algorithm>
#include <cctype>

#include "apps/ortool/help.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/version.hpp"

namespace ortool {
namespace {

/// Escapes `text` for roff: no escapes, and no request at the beginning of a line.
std::string escape_roff(std::string_view text) {
  std::string escaped;
  bool begins_line = true;
  for (const char character : text) {
    if (begins_line && (character == '.' || character == '\'')) escaped += "\\&";
    if (character == '\\') {
      escaped += "\\e";
    } else if (character == '-') {
      escaped += "\\-";
    } else {
      escaped += character;
    }
    begins_line = character == '\n';
  }
  return escaped;
}

std::string bold(std::string_view text) {
  return "\\fB" + escape_roff(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + escape_roff(text) + "\\fR";
}

std::string header(std::string_view name, std::string_view summary) {
  std::string title(name);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return format(".TH {} 1 \"\" \"ortool {}\" \"ortool manual\"\n.SH NAME\n{} \\- {}\n",
                escape_roff(title), version(), escape_roff(name), escape_roff(summary));
}

std::string option_entry(const OptionSpec& option) {
  std::string entry = ".TP\n";
  if (option.letter != 0) entry += bold(std::string("-") + option.letter) + ", ";
  entry += bold("--" + std::string(option.name));
  if (!option.is_flag()) entry += " " + italic(option.value);
  return entry + "\n" + escape_roff(option_help(option)) + "\n";
}

std::string option_groups(const Command& command) {
  std::string text;
  for (const OptionGroup& group : all_options(command)) {
    std::string entries;
    for (const OptionSpec& option : group.options) {
      if (!option.is_planned) entries += option_entry(option);
    }
    if (!entries.empty()) text += ".SS " + escape_roff(group.title) + "\n" + entries;
  }
  return text;
}

}  // namespace

std::string program_man_page(std::span<const std::unique_ptr<const Command>> commands) {
  std::string page = header("ortool", "run, inspect, optimize, quantize and benchmark ONNX models");
  page += ".SH SYNOPSIS\n" + bold("ortool") + " " + italic("COMMAND") + " " + italic("MODEL") +
          " [" + italic("options") + "]\n.SH COMMANDS\n";
  for (const auto& command : commands) {
    page += ".TP\n" + bold("ortool-" + std::string(command->name())) + "(1)\n" +
            escape_roff(command->summary()) + "\n";
  }
  page += ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes()) {
    page += format(".TP\n{}\n{}\n", code.code, escape_roff(code.meaning));
  }
  return page;
}

std::string command_man_page(const Command& command) {
  const std::string name = "ortool-" + std::string(command.name());
  std::string page = header(name, command.summary());
  page += ".SH SYNOPSIS\n" + bold("ortool " + std::string(command.name()));
  for (const ArgumentSpec& argument : command.arguments()) {
    const std::string word = italic(argument.name) + (argument.repeats ? " ..." : "");
    page += argument.is_required ? " " + word : " [" + word + "]";
  }
  page += " [" + italic("options") + "]\n";
  if (!command.arguments().empty()) page += ".SH ARGUMENTS\n";
  for (const ArgumentSpec& argument : command.arguments()) {
    page += ".TP\n" + italic(argument.name) + "\n" + escape_roff(argument.help) + "\n";
  }
  page += ".SH OPTIONS\n" + option_groups(command);
  if (!command.examples().empty()) page += ".SH EXAMPLES\n";
  for (const Example& example : command.examples()) {
    page += ".TP\n" + bold(example.line) + "\n" + escape_roff(example.purpose) + "\n";
  }
  return page + ".SH SEE ALSO\n" + bold("ortool") + "(1)\n";
}

}  // namespace ortool
