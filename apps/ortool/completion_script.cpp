// Shell completion scripts: commands first, then each command's options and their values.
#include "apps/ortool/completion_script.hpp"

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

std::vector<OptionSpec> offered_options(const Command& command) {
  std::vector<OptionSpec> result;
  for (const OptionGroup& group : all_options(command)) {
    for (const OptionSpec& option : group.options) {
      if (!option.is_planned) result.push_back(option);
    }
  }
  return result;
}

template <typename Range>
std::string join(const Range& words, std::string_view separator = " ") {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

/// `text` in single quotes for a shell, with a backslash before each of `special`.
std::string shell_quote(std::string_view text, std::string_view special = {}) {
  std::string quoted = "'";
  for (const char character : text) {
    if (special.find(character) != std::string_view::npos) quoted += '\\';
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return quoted + "'";
}

/// Values of a command's first argument; empty: a file.
std::string argument_choices(const Command& command) {
  const std::vector<ArgumentSpec> arguments = command.arguments();
  return arguments.empty() ? std::string() : join(arguments.front().choices);
}

std::string names_of(std::span<const std::unique_ptr<const Command>> commands) {
  std::string names;
  for (const auto& command : commands) names.append(command->name()).append(" ");
  return names + "help";
}

std::string zsh_option(const OptionSpec& option) {
  const std::string help = "[" + std::string(option.help) + "]";
  std::string action;
  if (!option.is_flag()) {
    action = ":" + std::string(option.value) + ":";
    if (!option.choices.empty()) action += "(" + join(option.choices) + ")";
    if (option.completes == Completion::files) action += "_files";
    if (option.completes == Completion::folders) action += "_directories";
  }
  std::string name = "--" + std::string(option.name);
  if (!option.is_flag()) name += "=";
  std::string quoted_help;
  for (const char character : help) {
    if (character == ':') quoted_help += '\\';
    quoted_help += character;
  }
  return shell_quote((option.repeats ? "*" : "") + name + quoted_help + action);
}

}  // namespace

std::string bash_completion(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text =
      "# Completion of ortool for bash: source this file, or put it into\n"
      "# ~/.local/share/bash-completion/completions/ortool\n"
      "_ortool() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  text += format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n",
                 names_of(commands));
  text += "    return\n  fi\n  case $command in\n";
  for (const auto& command : commands) {
    text += format("    {})\n      case $previous in\n", command->name());
    for (const OptionSpec& option : offered_options(*command)) {
      if (option.is_flag()) continue;
      const std::string_view reply = option.completes == Completion::folders
                                         ? "compgen -d -- \"$current\""
                                         : "compgen -f -- \"$current\"";
      text += format("        --{}) ", option.name);
      if (!option.choices.empty()) {
        text += format("COMPREPLY=($(compgen -W '{}' -- \"$current\")); return;;\n",
                       join(option.choices));
      } else if (option.completes != Completion::nothing) {
        text += format("COMPREPLY=($({})); return;;\n", reply);
      } else {
        text += "return;;\n";
      }
    }
    std::vector<std::string> names;
    for (const OptionSpec& option : offered_options(*command)) {
      names.push_back("--" + std::string(option.name));
    }
    text += format("      esac\n      words='{}'\n", join(names));
    const std::string choices = argument_choices(*command);
    if (!choices.empty()) text += format("      [[ $current == -* ]] || words='{}'\n", choices);
    text += "      ;;\n";
  }
  text += format("    help) words='{}';;\n  esac\n", names_of(commands));
  text +=
      "  if [[ $current == -* || ($command != run && $command != inspect) ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _ortool ortool\n";
  return text;
}

std::string zsh_completion(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text =
      "#compdef ortool\n"
      "# Completion of ortool for zsh: put this file as _ortool into a folder of $fpath.\n"
      "_ortool() {\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a commands=(\n";
  for (const auto& command : commands) {
    text += "      " +
            shell_quote(std::string(command->name()) + ":" + std::string(command->summary())) +
            "\n";
  }
  text +=
      "      'help:show the help of a command'\n"
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n";
  for (const auto& command : commands) {
    text += format("    {})\n      _arguments", command->name());
    for (const OptionSpec& option : offered_options(*command)) {
      text += " \\\n        " + zsh_option(option);
    }
    for (const ArgumentSpec& argument : command->arguments()) {
      const std::string choices = join(argument.choices);
      text += " \\\n        " + shell_quote(":" + std::string(argument.name) + ":" +
                                            (choices.empty() ? "_files" : "(" + choices + ")"));
    }
    text += "\n      ;;\n";
  }
  text += "    help) _arguments " + shell_quote(":command:(" + names_of(commands) + ")") + ";;\n";
  text += "  esac\n}\n_ortool \"$@\"\n";
  return text;
}

std::string fish_completion(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text =
      "# Completion of ortool for fish: put this file into ~/.config/fish/completions/ortool.fish\n"
      "complete -c ortool -n __fish_use_subcommand -l version -d 'show the version'\n"
      "complete -c ortool -n __fish_use_subcommand -l help -d 'show the help'\n";
  for (const auto& command : commands) {
    const std::string name(command->name());
    text += format("complete -c ortool -n __fish_use_subcommand -f -a {} -d {}\n", name,
                   shell_quote(command->summary(), "\\"));
    const std::string when = format("-n '__fish_seen_subcommand_from {}'", name);
    for (const OptionSpec& option : offered_options(*command)) {
      text += format("complete -c ortool {} -l {}", when, option.name);
      if (option.letter != 0) text += format(" -s {}", option.letter);
      if (!option.choices.empty()) {
        text += " -x -a " + shell_quote(join(option.choices));
      } else if (!option.is_flag()) {
        text += option.completes == Completion::nothing ? " -x" : " -r";
      }
      text += " -d " + shell_quote(option.help, "\\") + "\n";
    }
    const std::string choices = argument_choices(*command);
    if (!choices.empty()) {
      text += format("complete -c ortool {} -f -a {}\n", when, shell_quote(choices));
    }
  }
  text +=
      "complete -c ortool -n __fish_use_subcommand -f -a help -d 'show the help of a command'\n";
  return text;
}

}  // namespace ortool
