// Bash completion script: commands first, then each command's options and their values.
#include "apps/ortool/completion/completion_names.hpp"
#include "apps/ortool/completion/completion_script.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// Functions of the script. Names of a model are never expanded by the shell.
constexpr std::string_view bash_functions =
    R"sh(# Completion of ortool for bash: source this file, or put it into
# ~/.local/share/bash-completion/completions/ortool
_ortool_files() {
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}
# The last of several words that are separated by commas.
_ortool_list() {
  local head=
  [[ $current == *,* ]] && head=${current%,*},
  COMPREPLY=($(compgen -P "$head" -W "$1" -- "${current##*,}"))
}
# Names of the inputs, outputs or dimensions of the model on the command line.
_ortool_names() {
  local word model= name head=
  for word in "${COMP_WORDS[@]:2}"; do
    word=${word/#\~\//$HOME/}
    [[ $word == *.onnx || -e $word/model.onnx ]] && model=$word && break
  done
  [[ -n $model ]] || return 0
  [[ $1 == outputs && $current == *,* ]] && head=${current%,*},
  while IFS= read -r name; do
    [[ $name == "${current#"$head"}"* ]] && COMPREPLY+=("$head$name$2")
  done < <("${COMP_WORDS[0]}" completion "--$1-of" "$model" --timeout 2 2> /dev/null)
  [[ $2 != '=' ]] || compopt -o nospace 2> /dev/null
}
_ortool() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} words= at=$COMP_CWORD
  COMPREPLY=()
  # An equals sign is a word of its own, after an option or after a name.
  if [[ $current == '=' ]]; then
    current= previous='='
  else
    ((at--))
  fi
  if [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[at-1]}
    if [[ $previous != --* ]]; then
      [[ ${COMP_WORDS[at-2]} != --input && ${COMP_WORDS[at-2]} != --compare ]] || _ortool_files -f
      return 0
    fi
  fi
)sh";

std::string bash_reply(const OptionSpec& option) {
  const std::string values = join_words(offered_values(option));
  if (takes_list(option)) return format("_ortool_list '{}'", values);
  const std::string_view names = model_names_option(option.completes);
  if (!names.empty())
    return format("_ortool_names {} {}", names, names == "outputs" ? "''" : "'='");
  if (!values.empty()) return format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", values);
  if (option.completes == Completion::files) return "_ortool_files -f";
  if (option.completes == Completion::folders) return "_ortool_files -d";
  return {};
}

}  // namespace

std::string bash_completion(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text(bash_functions);
  const std::string names = join_words(command_words(commands));
  text += "  if ((COMP_CWORD == 1)); then\n";
  text += format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n", names);
  text += "    return\n  fi\n  case $command in\n";
  for (const auto& command : commands) {
    text += format("    {})\n      case $previous in\n", command->name());
    std::vector<std::string> options;
    for (const OptionSpec& option : offered_options(*command)) {
      options.push_back("--" + std::string(option.name));
      if (option.is_flag()) continue;
      const std::string reply = bash_reply(option);
      text += format("        --{}) {}return;;\n", option.name, reply.empty() ? "" : reply + "; ");
    }
    text += format("      esac\n      words='{}'\n", join_words(options));
    const std::string choices = join_words(argument_choices(*command));
    if (!choices.empty()) text += format("      [[ $current == -* ]] || words='{}'\n", choices);
    text += "      ;;\n";
  }
  text += format("    help) words='{}';;\n  esac\n", names);
  text +=
      "  if [[ $current == -* || $command == schema || $command == completion || $command == help "
      "]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    _ortool_files -f\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _ortool ortool\n";
  return text;
}

}  // namespace ortool
