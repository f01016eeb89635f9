// Sessions for looking at values one by one, and the pass over the calibration data.
#pragma once

#include <memory>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/calibration_cache.hpp"
#include "libcore/quantize/calibrate/calibration_data.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"
#include "libcore/quantize/pipeline/quantize_settings.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// What every session of the command runs with.
struct QuantizeMachine {
  std::vector<std::shared_ptr<const Provider>> providers;
  ThreadPool& pool;
  int threads = 1;
};

/// A session on a copy of `model` that computes every node by itself, or as fast as it can.
std::unique_ptr<Session> make_session(const TaskContext& task, const QuantizeMachine& machine,
                                      const Model& model, OptimizeLevel level);

/// What the values that the plan and the clues ask about are like on the data: what the cache
/// holds, and a pass over the samples that it has not, saved now and then and when somebody stops
/// it. `data` may be null, and then the cache says all.
Calibration calibrate(const TaskContext& task, const QuantizeMachine& machine,
                      const Session& session, CalibrationData* data,
                      const QuantizeSettings& settings, const QuantizePlan& plan,
                      const InputClues& clues, const CalibrationCache& cache);

}  // namespace ortool
