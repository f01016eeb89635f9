// Zsh completion script: commands first, then each command's options and their values.
#include "apps/ortool/completion/completion_names.hpp"
#include "apps/ortool/completion/completion_script.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::string_view zsh_functions = R"sh(#compdef ortool
# Completion of ortool for zsh: put this file as _ortool into a folder of $fpath.
# Names of the inputs, outputs or dimensions of the model on the command line.
_ortool_names() {
  if [[ $1 != outputs ]] && compset -P 1 '*='; then
    [[ $1 != inputs ]] || _files
    return
  fi
  local model=${words[(r)*.onnx]/#\~\//$HOME/}
  [[ -n $model ]] || return 1
  local -a names
  names=(${(f)"$($program completion --$1-of $model --timeout 2 2> /dev/null)"})
  if [[ $1 == outputs ]]; then
    compset -P '*,'
    compadd -q -S , -- $names
  else
    compadd -S = -- $names
  fi
}
_ortool() {
  local program=$words[1]
)sh";

std::string zsh_action(const OptionSpec& option) {
  const std::string values = join_words(offered_values(option));
  const std::string_view names = model_names_option(option.completes);
  if (!names.empty()) return format("_ortool_names {}", names);
  if (takes_list(option)) return format("_values -s , {} {}", option.name, values);
  if (values.find('=') != std::string::npos) return format("{{compadd -S \"\" -- {}}}", values);
  if (!values.empty()) return "(" + values + ")";
  if (option.completes == Completion::files) return "_files";
  return option.completes == Completion::folders ? "_directories" : "";
}

std::string zsh_option(const OptionSpec& option) {
  std::string name = "--" + std::string(option.name);
  if (!option.is_flag()) name += "=";
  std::string help;
  for (const char character : option.help) {
    if (character == ':' || character == '[' || character == ']') help += '\\';
    help += character;
  }
  std::string action;
  if (!option.is_flag()) action = ":" + std::string(option.value) + ":" + zsh_action(option);
  return shell_quote((option.repeats ? "*" : "") + name + "[" + help + "]" + action);
}

}  // namespace

std::string zsh_completion(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text(zsh_functions);
  text += "  if ((CURRENT == 2)); then\n    local -a commands=(\n";
  for (const auto& command : commands) {
    text += "      " +
            shell_quote(std::string(command->name()) + ":" + std::string(command->summary())) +
            "\n";
  }
  text +=
      "      'help:show the help of a command'\n"
      "      'version:show the version'\n"
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
      const std::string choices = join_words(argument.choices);
      text += " \\\n        " +
              shell_quote((argument.repeats ? "*:" : ":") + std::string(argument.name) + ":" +
                          (choices.empty() ? "_files" : "(" + choices + ")"));
    }
    text += "\n      ;;\n";
  }
  text += "    help) _arguments " +
          shell_quote(":command:(" + join_words(command_words(commands)) + ")") + ";;\n";
  text += "  esac\n}\n_ortool \"$@\"\n";
  return text;
}

}  // namespace ortool
