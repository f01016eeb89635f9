// Form judge: output SQNR of quantized models on held-out samples.
#pragma once

#include <vector>

#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/search/search_results.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The threshold for an improvement: the mean difference over samples must exceed this value, and
/// this many of its standard errors. With a single sample it must exceed half a dB.
struct RequiredGain {
  double min_db = 0.5;
  double deviations = 2;
};

/// The mean difference over samples, and its standard error; 0 for a single sample, which has none.
struct MeanGain {
  double db = 0;
  double error_db = 0;
};

MeanGain gain_of(const SampleRatios& ratios, const SampleRatios& others);

bool is_better(const SampleRatios& ratios, const SampleRatios& others, RequiredGain bar = {});

/// Compares outputs, and for outputs of a Softmax or Sigmoid its inputs, since saturated
/// probabilities hide differences. With too few samples for a held-out set outputs are compared
/// directly, as in the report.
class SqnrJudge {
 public:
  /// Runs the prepared model on the held-out samples of split_samples(), unless `data` kept the
  /// outputs of `floats`, its session, and these are judged. The arguments must outlive this object.
  SqnrJudge(const QuantizeContext& context, const Model& prepared, const Session& floats,
            CalibrationData& data);

  SampleRatios judge(const Model& quantized) const;
  /// Whether the judging samples are disjoint from those used for fitting.
  bool is_apart() const { return judges_scores_; }

 private:
  struct Judged {
    NamedValues inputs;
    std::vector<RunValue> outputs;  ///< of the float model
  };

  Judged make(std::int64_t sample) const;

  const QuantizeContext& context_;
  bool judges_scores_;
  const Session& plain_;             ///< node by node
  std::unique_ptr<Session> scores_;  ///< null where outputs are judged as they are
  CalibrationData& data_;
  std::vector<std::int64_t> samples_;
  std::vector<Judged> kept_;  ///< for the first samples
};

}  // namespace ortool
