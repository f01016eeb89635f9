// ortool optimize: the command, its options and examples.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/optimize/optimize_run.hpp"
#include "apps/ortool/optimize/optimize_settings.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/options/shape_options.hpp"

namespace ortool {
namespace {

class OptimizeCommand : public Command {
 public:
  std::string_view name() const override { return "optimize"; }
  std::string_view summary() const override { return "rewrite a model into a faster one"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool optimize model.onnx -o small.onnx",
         "fold, clean up and fuse; outputs are compared"},
        {"ortool optimize model.onnx -o small.onnx --level basic",
         "outputs stay the same bit for bit"},
        {"ortool optimize model.onnx -o fixed.onnx --dim batch=1", "with fixed shapes"},
        {"ortool optimize model.onnx -o new.onnx --opset 23",
         "in a newer opset, whose operators the passes may use: Attention, RMSNormalization"},
        {"ortool optimize model.onnx -o half.onnx --fp16 --input-dir inputs/",
         "in float16, except what overflows on these inputs"},
        {"ortool optimize model.onnx -o head.onnx --extract-output features",
         "the part that computes one value"},
        {"ortool optimize model.onnx --dry-run --explain",
         "what would be done, and what would not"},
        {"ortool optimize model.onnx -o out.onnx --skip-pass fuse-gelu", "without one pass"},
        {"ortool optimize --list-passes", "every pass, with its level"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override {
    ArgumentSpec model = model_argument();
    model.is_required = false;
    return {model};
  }
  std::vector<OptionGroup> options() const override {
    std::vector<OptionGroup> groups = optimize_options();
    groups.insert(groups.begin() + 1, save_options());
    groups.push_back(shape_options());
    groups.push_back(input_options());
    return groups;
  }
  std::vector<std::string_view> frequent_options() const override {
    return {"level",  "opset",  "fp16", "extract-output", "list-passes", "explain", "dry-run",
            "output", "verify", "dim",  "input-dir"};
  }
  void run(Invocation& invocation) const override { run_optimize(invocation, whole_pipeline()); }
};

}  // namespace

std::unique_ptr<const Command> make_optimize_command() {
  return std::make_unique<OptimizeCommand>();
}

}  // namespace ortool
