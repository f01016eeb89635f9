// Inputs and outputs of the float model are kept as long as they are small: forms are many.
#include "apps/ortool/quantize/form_judge.hpp"

#include "apps/ortool/quantize/candidate.hpp"
#include "apps/ortool/quantize/sample_split.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_kept_bytes = std::int64_t{32} << 20;

std::int64_t bytes_of(const RunValue& value) {
  return value.is_tensor() ? value.tensor().size_bytes() : 0;
}

RunOptions run_options(const QuantizeContext& context) {
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.invocation.stop;
  return options;
}

}  // namespace

FormJudge::FormJudge(const QuantizeContext& context, const Session& floats, CalibrationData& data)
    : context_(context),
      floats_(floats),
      data_(data),
      samples_(split_samples(data.size()).judging) {
  std::int64_t bytes = 0;
  for (const std::int64_t sample : samples_) {
    Judged judged = make(sample);
    for (const auto& [name, value] : judged.inputs) bytes += bytes_of(value);
    for (const RunValue& value : judged.outputs) bytes += bytes_of(value);
    if (bytes > most_kept_bytes) break;
    kept_.push_back(std::move(judged));
  }
}

FormJudge::Judged FormJudge::make(std::int64_t sample) const {
  Judged judged;
  judged.inputs = data_.sample(sample).inputs;
  judged.outputs = floats_.run(judged.inputs, run_options(context_));
  return judged;
}

double FormJudge::sqnr_db(const Model& quantized) const {
  const auto session =
      make_session(context_.invocation, context_.machine, quantized, OptimizeLevel::all);
  std::vector<OutputError> errors(floats_.outputs().size());
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    std::optional<Judged> made;
    if (i >= kept_.size()) made = make(samples_[i]);
    const Judged& judged = made ? *made : kept_[i];
    const std::vector<RunValue> found = session->run(judged.inputs, run_options(context_));
    for (std::size_t k = 0; k < errors.size(); ++k)
      add_output(found[k], judged.outputs[k], errors[k]);
  }
  return worst_sqnr_db(errors);
}

}  // namespace ortool
