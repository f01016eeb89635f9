// A quantization context around a model from text and samples of its input x.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

namespace ortool::test {

class QuantizeCall {
 public:
  /// `memory_limit` in bytes; 0: none.
  QuantizeCall(std::string_view model, const std::vector<Tensor>& samples,
               std::int64_t memory_limit = 0)
      : model_(inferred_model(model)),
        pool_(1),
        machine_{cpu_options().providers, pool_, 1},
        memory_(memory_limit),
        task_{memory_, stop_, [this](std::string_view text) { warnings_.emplace_back(text); }},
        manifest_("manifest.json") {
    std::string listed;
    for (const Tensor& sample : samples) {
      files_.push_back(std::make_unique<ScratchFile>("x.npy"));
      save_npy(files_.back()->path(), sample);
      listed += (listed.empty() ? R"({"inputs": {"x": ")" : R"(, {"inputs": {"x": ")") +
                files_.back()->path() + "\"}}";
    }
    manifest_.write("{\"samples\": [" + listed + "]}");
    source_.calibration = {manifest_.path()};
    patterns_ = std::make_unique<NodePatterns>(NodeSelection(), *model_);
    cache_ = std::make_unique<CalibrationCache>(task_, source_, "model.onnx", *model_);
    context_ = std::make_unique<QuantizeContext>(QuantizeContext{
        task_, settings_, source_, machine_, *patterns_, choices_, *cache_, path_, result_});
    floats_ = make_session(task_, machine_, *model_, OptimizeLevel::none);
    data_ = std::make_unique<CalibrationData>(task_, source_, DataRole::calibration,
                                              floats_->model().graph->inputs(), floats_->outputs());
  }

  const QuantizeContext& context() const { return *context_; }
  const Model& model() const { return *model_; }
  const Session& floats() const { return *floats_; }  ///< node by node
  CalibrationData& data() { return *data_; }
  QuantizeResult& result() { return result_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::unique_ptr<Model> model_;
  ThreadPool pool_;
  QuantizeMachine machine_;
  StopToken stop_;
  MemoryCap memory_;
  std::vector<std::string> warnings_;
  TaskContext task_;
  QuantizeData source_;
  QuantizeSettings settings_;
  PlanChoices choices_;
  std::string path_ = "model.onnx";
  QuantizeResult result_;
  ScratchFile manifest_;
  std::vector<std::unique_ptr<ScratchFile>> files_;
  std::unique_ptr<NodePatterns> patterns_;
  std::unique_ptr<CalibrationCache> cache_;
  std::unique_ptr<QuantizeContext> context_;
  std::unique_ptr<Session> floats_;
  std::unique_ptr<CalibrationData> data_;
};

}  // namespace ortool::test
