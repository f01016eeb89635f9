// What parts of `ortool quantize` work with, around a model from text and samples of its input x.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/quantize/quantize_context.hpp"
#include "libcore/io/npy.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

namespace ortool::test {

class QuantizeCall {
 public:
  QuantizeCall(std::string_view model, const std::vector<Tensor>& samples)
      : model_(inferred_model(model)),
        pool_(1),
        machine_{cpu_options().providers, pool_, 1},
        invocation_{options_, {}, {}, report_, messages_, stop_, memory_, true, {}},
        manifest_("manifest.json") {
    messages_.set_level(Verbosity::error);
    std::string listed;
    for (const Tensor& sample : samples) {
      files_.push_back(std::make_unique<ScratchFile>("x.npy"));
      save_npy(files_.back()->path(), sample);
      listed += (listed.empty() ? R"({"inputs": {"x": ")" : R"(, {"inputs": {"x": ")") +
                files_.back()->path() + "\"}}";
    }
    manifest_.write("{\"samples\": [" + listed + "]}");
    options_.set("calibration-data", {manifest_.path()});
    patterns_ = std::make_unique<NodePatterns>(options_, *model_);
    cache_ = std::make_unique<CalibrationCache>(invocation_, "model.onnx", *model_);
    context_ = std::make_unique<QuantizeContext>(QuantizeContext{
        invocation_, settings_, machine_, *patterns_, choices_, *cache_, path_, result_});
    floats_ = make_session(invocation_, machine_, *model_, OptimizeLevel::none);
    data_ = std::make_unique<CalibrationData>(invocation_, "calibration-data",
                                              floats_->model().graph->inputs(), floats_->outputs());
  }

  const QuantizeContext& context() const { return *context_; }
  const Model& model() const { return *model_; }
  const Session& floats() const { return *floats_; }  ///< node by node
  CalibrationData& data() { return *data_; }
  QuantizeReport& result() { return result_; }
  const Report& report() const { return report_; }

 private:
  std::unique_ptr<Model> model_;
  ThreadPool pool_;
  QuantizeMachine machine_;
  OptionValues options_;
  Report report_;
  Messages messages_;
  StopToken stop_;
  MemoryCap memory_;
  Invocation invocation_;
  QuantizeSettings settings_;
  PlanChoices choices_;
  std::string path_ = "model.onnx";
  QuantizeReport result_;
  ScratchFile manifest_;
  std::vector<std::unique_ptr<ScratchFile>> files_;
  std::unique_ptr<NodePatterns> patterns_;
  std::unique_ptr<CalibrationCache> cache_;
  std::unique_ptr<QuantizeContext> context_;
  std::unique_ptr<Session> floats_;
  std::unique_ptr<CalibrationData> data_;
};

}  // namespace ortool::test
