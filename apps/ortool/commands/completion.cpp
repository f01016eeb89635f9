// ortool completion: scripts that complete commands, options and values in a shell.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/completion_script.hpp"

namespace ortool {
namespace {

class CompletionCommand : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override { return "print a completion script for a shell"; }
  std::vector<Example> examples() const override {
    return {{"source <(ortool completion bash)", "completion in this bash session"},
            {"ortool completion fish > ~/.config/fish/completions/ortool.fish",
             "completion in every fish session"}};
  }
  std::vector<ArgumentSpec> arguments() const override {
    return {{"SHELL", "bash, zsh or fish", true, {"bash", "zsh", "fish"}}};
  }
  std::vector<OptionGroup> options() const override { return {}; }

  void run(Invocation& invocation) const override {
    const std::string& shell = invocation.arguments.front();
    std::string& script = invocation.report.text;
    script = shell == "bash"  ? bash_completion(invocation.commands)
             : shell == "zsh" ? zsh_completion(invocation.commands)
                              : fish_completion(invocation.commands);
    invocation.report.payload.set("script", script);
  }
};

}  // namespace

std::unique_ptr<const Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace ortool
