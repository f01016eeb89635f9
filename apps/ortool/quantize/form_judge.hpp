// What a quantised form is worth: its outputs beside the float model's, on samples that did not fit
// it.
#pragma once

#include <vector>

#include "apps/ortool/quantize/quantize_context.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

class FormJudge {
 public:
  /// Runs the float model on the judging samples of split_samples(). What is given outlives this.
  FormJudge(const QuantizeContext& context, const Session& floats, CalibrationData& data);

  /// The signal-to-noise ratio of the worst output over all samples; infinite where all agree.
  double sqnr_db(const Model& quantized) const;

 private:
  struct Judged {
    NamedValues inputs;
    std::vector<RunValue> outputs;  ///< of the float model
  };

  Judged make(std::int64_t sample) const;

  const QuantizeContext& context_;
  const Session& floats_;
  CalibrationData& data_;
  std::vector<std::int64_t> samples_;
  std::vector<Judged> kept_;  ///< of the first samples
};

}  // namespace ortool
