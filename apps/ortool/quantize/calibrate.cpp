// One pass; what it needs beside the model does not grow with the samples.
#include "apps/ortool/quantize/calibrate.hpp"

#include <algorithm>

#include "apps/ortool/report/progress.hpp"
#include "libcore/graph/copy_model.hpp"
#include "libcore/quantize/choose_numbers.hpp"
#include "libcore/quantize/collect.hpp"

namespace ortool {
namespace {

/// The weight of each new sample in moving averages.
constexpr double averaging_constant = 0.01;

/// Of each session: weights beyond it are multiplied where they lie, in more time.
std::int64_t most_packed_bytes(const MemoryCap& memory) {
  constexpr std::int64_t most_bytes = std::int64_t{512} << 20;
  const std::int64_t limit = memory.limit_bytes();
  return limit > 0 ? std::min(most_bytes, limit / 4) : most_bytes;
}

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
  options.most_packed_bytes = most_packed_bytes(invocation.memory);
  return std::make_unique<Session>(copy_model(model), std::move(options));
}

Calibration calibrate(const Invocation& invocation, const QuantizeMachine& machine,
                      const Session& session, CalibrationData* data,
                      const QuantizeSettings& settings, const QuantizePlan& plan,
                      const InputClues& clues, const CalibrationCache& cache) {
  if (data == nullptr) {
    std::optional<Calibration> whole = cache.load(nullptr);
    if (whole) return std::move(*whole);
    throw Error(ErrorCode::invalid, "option --calibration-cache: the file is not there",
                "add --calibration-data SET to make it")
        .with_id("quantize.cache");
  }
  const CalibrationMethod method = settings.method.method;
  const bool is_average = method == CalibrationMethod::moving_average;
  CalibrationSettings recorded;
  recorded.values = requested_values(plan);
  add_requests(clues, recorded.values);
  // A cache serves every method but the one that depends on order.
  recorded.with_histograms =
      !is_average && (method != CalibrationMethod::minmax || cache.is_used());
  if (is_average) recorded.averaging_constant = averaging_constant;
  std::optional<Calibration> known = cache.load(&recorded);
  if (known) cache.check_data(*known, *data, data->size());
  Calibration state = known ? std::move(*known) : Calibration(std::move(recorded));
  Progress progress(invocation.options, invocation.messages, "calibrating");
  progress.tell_done(state.samples().count(), data->size() - data->first());
  CollectOptions options;
  options.first_sample = data->first();
  options.sample_count = data->size();
  options.threads = machine.threads;
  options.cap = &invocation.memory;
  options.stop = &invocation.stop;
  options.progress = [&](const CollectProgress& told) {
    progress.tell_done(told.done, told.total);
  };
  if (cache.is_used()) options.checkpoint = [&] { cache.save(state); };
  const auto next = [&](std::int64_t index) {
    NamedValues inputs = data->sample(index).inputs;
    if (cache.is_used()) state.set_digest(index, digest_of(inputs));
    return inputs;
  };
  try {
    collect(session, state, next, options);
  } catch (Error& error) {
    // Only what is wrong with a sample is its file's affair.
    if (error.code() != ErrorCode::invalid || data->last_read().empty()) throw;
    throw error.in(data->last_read());
  }
  return state;
}

}  // namespace ortool
