// What a quantised form is worth: its outputs beside the float model's, on samples that did not fit
// it.
#pragma once

#include <vector>

#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/search/search_results.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// How much better is better: the mean of the differences of the same samples by so much, and by so
/// many of its standard errors. A single sample has to gain half a dB.
struct Bar {
  double least_db = 0.5;
  double deviations = 2;
};

bool is_better(const SampleRatios& ratios, const SampleRatios& others, Bar bar = {});

/// Looks at outputs, and where a Softmax or Sigmoid makes one, at what that reads: of answers that
/// are nearly certain next to nothing is left to compare. With so few samples that none are held
/// back outputs are taken as they are, as the report takes them.
class FormJudge {
 public:
  /// Runs the prepared model on the judging samples of split_samples(). What is given outlives
  /// this.
  FormJudge(const QuantizeContext& context, const Model& prepared, CalibrationData& data);

  SampleRatios judge(const Model& quantized) const;
  /// Whether the samples that judge have fitted nothing.
  bool is_apart() const { return judges_scores_; }

 private:
  struct Judged {
    NamedValues inputs;
    std::vector<RunValue> outputs;  ///< of the float model
  };

  Judged make(std::int64_t sample) const;

  const QuantizeContext& context_;
  bool judges_scores_;
  std::unique_ptr<Session> floats_;
  CalibrationData& data_;
  std::vector<std::int64_t> samples_;
  std::vector<Judged> kept_;  ///< of the first samples
};

}  // namespace ortool
