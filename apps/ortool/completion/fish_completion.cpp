// Fish completion script: commands first, then each command's options and their values.
#include "apps/ortool/completion/completion_names.hpp"
#include "apps/ortool/completion/completion_script.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::string_view fish_functions =
    R"sh(# Completion of ortool for fish: put this file into ~/.config/fish/completions/ortool.fish
# Names of the inputs, outputs or dimensions of the model on the command line.
function __ortool_names
    set -l words (commandline -opc)
    set -l model (string match -- '*.onnx' $words)[1]
    test -n "$model"; or return
    set -l model (string replace -r '^~/' "$HOME/" -- $model)
    set -l names ($words[1] completion --$argv[1]-of $model --timeout 2 2>/dev/null)
    if test $argv[1] = outputs
        test -z "$names"; or __fish_append , $names
    else
        string replace -r '$' '=' -- $names
    end
end
complete -c ortool -n __fish_use_subcommand -s V -l version -d 'show the version'
complete -c ortool -n __fish_use_subcommand -l help -d 'show the help'
)sh";

std::string fish_values(const OptionSpec& option) {
  const std::string values = join_words(offered_values(option));
  const std::string_view names = model_names_option(option.completes);
  if (names == "inputs") return " -r -a '(__ortool_names inputs)'";
  if (!names.empty()) return format(" -x -a '(__ortool_names {})'", names);
  if (takes_list(option)) return format(" -x -a '(__fish_append , {})'", values);
  if (!values.empty()) return " -x -a " + shell_quote(values);
  return option.completes == Completion::nothing ? " -x" : " -r";
}

}  // namespace

std::string fish_completion(std::span<const std::unique_ptr<const Command>> commands) {
  std::string text(fish_functions);
  for (const auto& command : commands) {
    const std::string name(command->name());
    text += format("complete -c ortool -n __fish_use_subcommand -f -a {} -d {}\n", name,
                   shell_quote(command->summary(), "\\"));
    const std::string when = format("-n '__fish_seen_subcommand_from {}'", name);
    for (const OptionSpec& option : offered_options(*command)) {
      text += format("complete -c ortool {} -l {}", when, option.name);
      if (option.letter != 0) text += format(" -s {}", option.letter);
      if (!option.is_flag()) text += fish_values(option);
      text += " -d " + shell_quote(option.help, "\\") + "\n";
    }
    const std::string choices = join_words(argument_choices(*command));
    if (!choices.empty()) {
      text += format("complete -c ortool {} -f -a {}\n", when, shell_quote(choices));
    }
  }
  text +=
      "complete -c ortool -n __fish_use_subcommand -f -a help -d 'show the help of a command'\n"
      "complete -c ortool -n __fish_use_subcommand -f -a version -d 'show the version'\n";
  return text;
}

}  // namespace ortool
