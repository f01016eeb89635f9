// ortool completion: scripts that complete commands, options and values in a shell.
#include <array>

#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/completion/completion_names.hpp"
#include "apps/ortool/completion/completion_script.hpp"
#include "libcore/base/error.hpp"

namespace ortool {
namespace {

constexpr std::array<Completion, 3> model_kinds = {Completion::inputs, Completion::outputs,
                                                   Completion::dimensions};

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
    return {{"SHELL", "bash, zsh or fish", false, {"bash", "zsh", "fish"}}};
  }
  std::vector<OptionGroup> options() const override {
    return {{"Names of a model, one per line (the scripts call this)",
             {{.name = "inputs-of",
               .value = "MODEL.onnx",
               .help = "its inputs",
               .completes = Completion::files},
              {.name = "outputs-of",
               .value = "MODEL.onnx",
               .help = "its outputs",
               .completes = Completion::files},
              {.name = "dimensions-of",
               .value = "MODEL.onnx",
               .help = "the free dimensions of its inputs",
               .completes = Completion::files}}}};
  }

  void run(Invocation& invocation) const override {
    for (const Completion kind : model_kinds) {
      const std::string option = std::string(model_names_option(kind)) + "-of";
      if (invocation.options.has(option)) return list_names_of(invocation, option, kind);
    }
    if (invocation.arguments.empty()) {
      throw Error(ErrorCode::invalid, "SHELL is missing", "give one of: bash, zsh, fish")
          .with_id("usage.argument");
    }
    const std::string& shell = invocation.arguments.front();
    std::string& script = invocation.report.text;
    script = shell == "bash"  ? bash_completion(invocation.commands)
             : shell == "zsh" ? zsh_completion(invocation.commands)
                              : fish_completion(invocation.commands);
    invocation.report.payload.set("script", script);
  }

 private:
  static void list_names_of(const Invocation& invocation, std::string_view option,
                            Completion kind) {
    const std::vector<std::string> names = model_names(invocation.options.text(option), kind);
    for (const std::string& name : names) invocation.report.text += name + "\n";
    invocation.report.payload.set("names", Json::list_of(names));
  }
};

}  // namespace

std::unique_ptr<const Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace ortool
