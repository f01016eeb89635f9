// ortool bench: the command and its examples.
#include "apps/ortool/bench/bench_run.hpp"
#include "apps/ortool/bench/bench_settings.hpp"
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/options/model_argument.hpp"

namespace ortool {
namespace {

class BenchCommand : public Command {
 public:
  std::string_view name() const override { return "bench"; }
  std::string_view summary() const override { return "measure models, and compare measurements"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool bench model.onnx", "how fast it is, and how sure that is"},
        {"ortool bench old.onnx new.onnx --threads 1,2", "models and threads beside each other"},
        {"ortool bench model.onnx --dim batch=1,8 --percentiles 50,99.9", "several shapes"},
        {"ortool bench new.onnx --reference old.onnx --max-regression 3%",
         "exit 1 when it is slower than the old one, measured in turns"},
        {"ortool bench model.onnx --baseline times/", "exit 1 when it is slower than it was here"},
        {"ortool bench model.onnx --profile --html report.html", "where the time goes, with plots"},
        {"ortool bench model.onnx --find-rate p99=20ms", "how many requests a second it serves"},
        {"ortool bench model.onnx --tune fast.json", "the fastest settings, for --config"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override {
    ArgumentSpec models = model_argument();
    models.repeats = true;
    return {models};
  }
  std::vector<OptionGroup> options() const override { return bench_options(); }
  std::vector<std::string_view> more_formats() const override {
    return {"csv", "markdown", "junit", "github"};
  }
  void run(Invocation& invocation) const override { run_bench(invocation); }
};

}  // namespace

std::unique_ptr<const Command> make_bench_command() {
  return std::make_unique<BenchCommand>();
}

}  // namespace ortool
