// Calibration driver: sessions that expose each intermediate value, and the pass over the data.
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

/// Resources shared by every session of the command.
struct QuantizeMachine {
  std::vector<std::shared_ptr<const Provider>> providers;
  ThreadPool& pool;
  int threads = 1;
};

/// A session on a copy of `model`; `level` decides whether nodes run one by one or optimized.
std::unique_ptr<Session> make_session(const TaskContext& task, const QuantizeMachine& machine,
                                      const Model& model, OptimizeLevel level);

/// Statistics of all values that the plan and the input checks need. Samples already in the cache
/// are reused; the others are run in one pass, with the state saved periodically and on a stop
/// request. `data` may be null, in which case the cache must hold everything.
Calibration calibrate(const TaskContext& task, const QuantizeMachine& machine,
                      const Session& session, CalibrationData* data,
                      const QuantizeSettings& settings, const QuantizePlan& plan,
                      const ModelEvidence& model_evidence, const CalibrationCache& cache);

}  // namespace ortool
