// Calibration pass over the samples; memory does not grow with their number.
#include "libcore/quantize/calibrate/calibrate.hpp"

#include <algorithm>
#include <map>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "libcore/quantize/scheme/group_params.hpp"

namespace ortool {
namespace {

/// The smoothing factor of moving averages: the weight of each new sample.
constexpr double averaging_constant = 0.01;

/// The packed-weight limit of each session. Weights beyond it are multiplied unpacked, more slowly.
std::int64_t max_packed_bytes(const MemoryCap& memory) {
  constexpr std::int64_t max_bytes = std::int64_t{512} << 20;
  const std::int64_t limit = memory.limit_bytes();
  return limit > 0 ? std::min(max_bytes, limit / 4) : max_bytes;
}

/// Collects NaN and infinities seen during the pass and reports them at its end: one warning per
/// input, and one for all intermediate values.
class NonFiniteNotes {
 public:
  void add(const Value& value, std::int64_t sample, const NonFiniteCount& found,
           const std::string& file) {
    const auto [place, is_new] = notes_.try_emplace(std::string(value.name()));
    Note& note = place->second;
    if (is_new) {
      note.first =
          format("sample {}: {} {} contains {}", sample, value.is_graph_input() ? "input" : "value",
                 quote(value.name()), found.to_string());
      if (value.is_graph_input() && !file.empty()) note.first = format("{}: {}", file, note.first);
      if (value.producer() != nullptr)
        note.first += format(", produced by {} ({})", quote(value.producer()->name()),
                             value.producer()->op_type());
      note.is_input = value.is_graph_input();
      order_.push_back(&note);
    }
    if (note.last_sample != sample) ++note.samples;
    note.last_sample = sample;
  }

  void tell(const TaskContext& task) const {
    constexpr std::string_view result = "ranges are chosen from finite values only";
    std::size_t values = 0;
    const Note* first_value = nullptr;
    for (const Note* note : order_) {
      if (note->is_input) {
        task.warn(format("{}{}; {}", note->first, others(note->samples - 1), result));
      } else if (++values == 1) {
        first_value = note;
      }
    }
    if (first_value == nullptr) return;
    const std::string more =
        values == 1
            ? std::string()
            : format("; {} more values contain such elements (calibration.diagnosis.not_finite)",
                     values - 1);
    task.warn(
        format("{}{}{}; {}", first_value->first, others(first_value->samples - 1), more, result));
  }

 private:
  struct Note {
    std::string first;
    bool is_input = false;
    std::int64_t samples = 0;
    std::int64_t last_sample = -1;
  };

  static std::string others(std::int64_t samples) {
    if (samples == 0) return {};
    return samples == 1 ? ", as does another sample" : format(", as do {} other samples", samples);
  }

  std::map<std::string, Note> notes_;
  std::vector<const Note*> order_;
};

}  // namespace

std::unique_ptr<Session> make_session(const TaskContext& task, const QuantizeMachine& machine,
                                      const Model& model, OptimizeLevel level) {
  SessionOptions options;
  options.providers = machine.providers;
  options.pool = &machine.pool;
  options.cap = &task.memory;
  options.threads = machine.threads;
  options.stop = &task.stop;
  options.on_step = task.on_step;
  options.optimize = level;
  options.max_packed_bytes = max_packed_bytes(task.memory);
  return std::make_unique<Session>(copy_model(model), std::move(options));
}

Calibration calibrate(const TaskContext& task, const QuantizeMachine& machine,
                      const Session& session, CalibrationData* data,
                      const QuantizeSettings& settings, const QuantizePlan& plan,
                      const ModelEvidence& model_evidence, const CalibrationCache& cache) {
  if (data == nullptr) {
    std::optional<Calibration> whole = cache.load(nullptr);
    if (whole) return std::move(*whole);
    throw Error(ErrorCode::invalid,
                format("option {}: the file is not there", setting_name("calibration-cache")),
                format("add {} SET to make it", setting_name("calibration-data")))
        .with_id("quantize.cache");
  }
  const CalibrationMethod method = settings.method.method;
  const bool is_average = method == CalibrationMethod::moving_average;
  CalibrationSettings recorded;
  recorded.values = requested_values(plan);
  add_requests(model_evidence, recorded.values);
  // A cache has to serve all methods except moving averages, which depend on the sample order.
  recorded.with_histograms =
      !is_average && (method != CalibrationMethod::minmax || cache.is_used());
  if (is_average) recorded.averaging_constant = averaging_constant;
  std::optional<Calibration> known = cache.load(&recorded, data->part());
  if (known) cache.check_data(*known, *data, data->size());
  Calibration state = known ? std::move(*known) : Calibration(std::move(recorded));
  Progress progress(task, "calibrating");
  progress.tell_done(state.samples().count(), data->size() - data->first());
  CollectOptions options;
  options.first_sample = data->first();
  options.sample_count = data->size();
  options.threads = machine.threads;
  options.cap = &task.memory;
  options.stop = &task.stop;
  options.progress = [&](const CollectProgress& told) {
    progress.tell_done(told.done, told.total);
  };
  if (cache.is_used()) options.checkpoint = [&] { cache.save(state, data->part()); };
  data->keep_outputs_of(session);
  options.outputs = [&](std::int64_t sample, const std::vector<RunValue>& outputs) {
    data->keep_outputs(session, sample, outputs);
  };
  NonFiniteNotes notes;
  options.not_finite = [&](const Value& value, std::int64_t sample, const NonFiniteCount& found) {
    notes.add(value, sample, found, data->last_read());
  };
  const auto next = [&](std::int64_t index) {
    NamedValues inputs = data->sample(index).inputs;
    if (cache.is_used()) state.set_digest(index, digest_of(inputs));
    return inputs;
  };
  try {
    collect(session, state, next, options);
  } catch (Error& error) {
    // Only errors about a sample's content are attributed to its file.
    if (error.code() != ErrorCode::invalid || data->last_read().empty()) throw;
    throw error.in(data->last_read());
  }
  notes.tell(task);
  return state;
}

}  // namespace ortool
