// ortool quantize: the command and its examples.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/quantize/quantize_run.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"

namespace ortool {
namespace {

class QuantizeCommand : public Command {
 public:
  std::string_view name() const override { return "quantize"; }
  std::string_view summary() const override { return "convert a model to low-precision integers"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool quantize model.onnx -o int8.onnx --calibration-data images/",
         "all int8, with ranges calibrated on real inputs"},
        {"ortool quantize model.onnx -o int8.onnx --calibration-data set.npz --exclude 'head/*'",
         "the head stays in float"},
        {"ortool quantize model.onnx -o int8.onnx --calibration-data set.npz --max-drop 1%",
         "lose at most 1 % accuracy on the set; as many nodes as that takes stay in float"},
        {"ortool quantize model.onnx -o int8.onnx --calibration-data set.npz --keep-faster",
         "nodes that int8 does not make faster on this machine stay in float"},
        {"ortool quantize model.onnx -o int8.onnx --mode dynamic",
         "int8 matrix products with ranges computed at run time; no data needed"},
        {"ortool quantize model.onnx -o int4.onnx --mode weight-only --weight-type int4",
         "4-bit weights in blocks, computation in float"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override { return {model_argument()}; }
  std::vector<OptionGroup> options() const override {
    std::vector<OptionGroup> groups = quantize_options();
    groups.push_back(save_options());
    groups.push_back({"Execution", {threads_option()}});
    return groups;
  }
  std::vector<std::string_view> frequent_options() const override {
    return {"mode",    "weight-type", "calibration-data", "image",       "samples",
            "exclude", "max-drop",    "metric",           "keep-faster", "output"};
  }
  void run(Invocation& invocation) const override { run_quantize(invocation); }
};

}  // namespace

std::unique_ptr<const Command> make_quantize_command() {
  return std::make_unique<QuantizeCommand>();
}

}  // namespace ortool
