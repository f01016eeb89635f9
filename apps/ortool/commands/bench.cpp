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
        {"ortool bench model.onnx", "latency, with its confidence interval"},
        {"ortool bench old.onnx new.onnx --threads 1,2", "two models, each with two thread counts"},
        {"ortool bench model.onnx --dim batch=1,8 --percentiles 50,99.9",
         "several shapes and percentiles"},
        {"ortool bench new.onnx --reference old.onnx --max-regression 3%",
         "exit 1 if it is slower than the old one, measured alternately"},
        {"ortool bench model.onnx --baseline times/",
         "exit 1 if it is slower than before on this machine"},
        {"ortool bench model.onnx --profile --format html > report.html",
         "where the time goes, with plots"},
        {"ortool bench model.onnx --find-rate p99=20ms",
         "how many requests per second it can serve"},
        {"ortool bench model.onnx --estimate cortex-a53 --threads 1,4",
         "what it would take on a Raspberry Pi 3, by a model of its processor"},
        {"ortool bench model.onnx --tune fast.json", "the fastest settings, for --config"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override {
    ArgumentSpec models = model_argument();
    models.repeats = true;
    return {models};
  }
  std::vector<OptionGroup> options() const override { return bench_options(); }
  std::vector<std::string_view> frequent_options() const override {
    return {"dim",      "provider",       "threads",     "profile",   "duration", "reference",
            "baseline", "max-regression", "concurrency", "find-rate", "format"};
  }
  std::vector<std::string_view> more_formats() const override {
    return {"csv", "markdown", "junit", "github", "html"};
  }
  void run(Invocation& invocation) const override { run_bench(invocation); }
};

}  // namespace

std::unique_ptr<const Command> make_bench_command() {
  return std::make_unique<BenchCommand>();
}

}  // namespace ortool
