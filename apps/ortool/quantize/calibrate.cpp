// One pass; what it needs beside the model does not grow with the samples.
#include "apps/ortool/quantize/calibrate.hpp"

#include "apps/ortool/report/progress.hpp"
#include "libcore/graph/copy_model.hpp"
#include "libcore/quantize/choose_numbers.hpp"
#include "libcore/quantize/collect.hpp"

namespace ortool {
namespace {

/// The weight of each new sample in moving averages.
constexpr double averaging_constant = 0.01;

}  // namespace

std::unique_ptr<Session> make_session(const Invocation& invocation, const QuantizeMachine& machine,
                                      const Model& model, OptimizeLevel level) {
  SessionOptions options;
  options.providers = machine.providers;
  options.pool = &machine.pool;
  options.cap = &invocation.memory;
  options.threads = machine.threads;
  options.stop = &invocation.stop;
  options.optimize = level;
  return std::make_unique<Session>(copy_model(model), std::move(options));
}

Calibration calibrate(const Invocation& invocation, const QuantizeMachine& machine,
                      const Session& session, CalibrationData& data,
                      const QuantizeSettings& settings, const QuantizePlan& plan) {
  const CalibrationMethod method = settings.method.method;
  const bool is_average = method == CalibrationMethod::moving_average;
  CalibrationSettings recorded;
  recorded.values = requested_values(plan);
  recorded.with_histograms = method != CalibrationMethod::minmax && !is_average;
  if (is_average) recorded.averaging_constant = averaging_constant;
  Calibration state(std::move(recorded));
  Progress progress(invocation.options, invocation.messages, "calibrating");
  CollectOptions options;
  options.sample_count = data.size();
  options.threads = machine.threads;
  options.cap = &invocation.memory;
  options.stop = &invocation.stop;
  options.progress = [&](const CollectProgress& told) {
    progress.tell_done(told.done, told.total);
  };
  collect(
      session, state, [&](std::int64_t index) { return data.sample(index).inputs; }, options);
  return state;
}

}  // namespace ortool
