// ortool run: the command, its options and examples.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/judge_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/output_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/run/data_run.hpp"
#include "apps/ortool/run/dump.hpp"
#include "apps/ortool/run/loop_report.hpp"
#include "apps/ortool/run/model_run.hpp"
#include "apps/ortool/run/variant.hpp"
#include "libcore/generate/feedback.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {
namespace {

class RunCommand : public Command {
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
        {"ortool run model.onnx --data digits.npz --metric top1", "accuracy on a data set"},
        {"ortool run model.onnx --compare optimize=none", "whether rewriting changes the outputs"},
        {"ortool run lm.onnx --input ids=p.npy --loop 'past*=new*' --loop 'ids=argmax(logits)' "
         "--steps 9",
         "greedy decoding with a cache"},
        {"ortool run model.onnx --test", "the test_data_set_N folders next to the model"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override {
    return {model_argument(), input_files_argument()};
  }
  std::vector<OptionGroup> options() const override;
  std::vector<std::string_view> frequent_options() const override {
    return {"input",   "image",    "top",  "labels",  "output-dir", "expect",
            "compare", "provider", "data", "threads", "dim"};
  }
  void run(Invocation& invocation) const override { run_model(invocation); }
};

std::vector<OptionGroup> RunCommand::options() const {
  const OptionGroup tests = {
      "Tests",
      {
          {.name = "test", .help = "run the test_data_set_N folders next to the model"},
          {.name = "test-dir",
           .value = "DIR",
           .help = "run the test folders in DIR",
           .completes = Completion::folders},
      }};
  const OptionGroup measuring = {
      "Measuring",
      {
          iterations_option(),
          {.name = "precision-error",
           .value = "BUDGET",
           .help = "with --precision: what 16 bits cost node by node, and which nodes to keep in "
                   "float32 so that 1 - cosine of outputs stays within BUDGET (0.001); list: no "
                   "budget",
           .range = real_from(0, 1),
           .suggestions = {"list"}},
          {.name = "explain", .help = "report what each lowering pass did to the model"},
          {.name = "trace",
           .value = "FILE",
           .help = "write a Chrome trace of the last run",
           .completes = Completion::files},
      }};
  OptionGroup execution = execution_options();
  execution.options.push_back(cache_dir_option());
  execution.options.push_back(cache_limit_option());
  return {input_options(), output_options(), judge_options(), compare_options(),  tests,
          data_options(),  loop_options(),   dump_options(),  provider_options(), measuring,
          execution,       shape_options()};
}

}  // namespace

std::unique_ptr<const Command> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace ortool
