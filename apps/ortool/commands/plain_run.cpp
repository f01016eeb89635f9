// ortool run of minimal builds: the command, its options and examples.
#include "apps/ortool/minimal/plain_run.hpp"

#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/output_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"

namespace ortool {
namespace {

class PlainRunCommand : public Command {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override { return "run a model"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool run model.onnx", "with random inputs, to check that it runs"},
        {"ortool run model.onnx cat.png --image imagenet --top 5 --labels labels.txt",
         "classify an image"},
        {"ortool run model.onnx --inputs in.npz --output-dir out",
         "read inputs from a file and write outputs to a folder"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override {
    return {model_argument(), input_files_argument()};
  }
  std::vector<OptionGroup> options() const override {
    OptionGroup execution = execution_options();
    execution.options.push_back(cache_dir_option());
    execution.options.push_back(cache_limit_option());
    return {input_options(),    output_options(),
            provider_options(), {"Measuring", {iterations_option()}},
            execution,          shape_options()};
  }
  void run(Invocation& invocation) const override { run_plain(invocation); }
};

}  // namespace

std::unique_ptr<const Command> make_plain_run_command() {
  return std::make_unique<PlainRunCommand>();
}

}  // namespace ortool
