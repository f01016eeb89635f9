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
  std::string_view summary() const override { return "turn a model into one of fewer bits"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool quantize model.onnx -o int8.onnx --calibration-data pictures/",
         "int8 throughout, ranges taken from real inputs"},
        {"ortool quantize model.onnx -o int8.onnx --calibration-data set.npz --exclude 'head/*'",
         "the head stays in float"},
        {"ortool quantize model.onnx -o int8.onnx --calibration-data set.npz --max-drop 1%",
         "at most 1 % of the set's labels lost; what it takes stays in float"},
        {"ortool quantize model.onnx -o int8.onnx --calibration-data set.npz --keep-faster",
         "what int8 does not make faster on this machine stays in float"},
        {"ortool quantize model.onnx -o int8.onnx --mode dynamic",
         "products in int8 with ranges taken while the model runs; no data needed"},
        {"ortool quantize model.onnx -o int4.onnx --mode weight-only --weight-type int4",
         "weights in blocks of four bits, computing in floats"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override { return {model_argument()}; }
  std::vector<OptionGroup> options() const override {
    std::vector<OptionGroup> groups = quantize_options();
    groups.push_back(save_options());
    groups.push_back(
        {"Execution",
         {{.name = "threads", .value = "N", .help = "threads to compute with (default: all)"}}});
    return groups;
  }
  std::vector<std::string_view> more_formats() const override { return {"qdq", "qoperator"}; }
  std::string_view formats_help() const override {
    return "of the model: qdq (default), or qoperator, operators on integers; of the report: text "
           "(default), json";
  }
  void run(Invocation& invocation) const override { run_quantize(invocation); }
};

}  // namespace

std::unique_ptr<const Command> make_quantize_command() {
  return std::make_unique<QuantizeCommand>();
}

}  // namespace ortool
