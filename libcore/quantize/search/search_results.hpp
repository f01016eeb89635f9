// What searches for a quantization plan found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/search/budget.hpp"

namespace ortool {

/// How one model did.
struct Worth {
  double value = 0;                 ///< higher is better
  std::vector<char> is_right = {};  ///< of each label, for top1 and top5
};

/// The worth of the float model beside that of a quantised one.
struct Accuracy {
  Judgement judgement = Judgement::top1;
  std::int64_t count = 0;  ///< of labels, or of samples
  double before = 0;
  double after = 0;
  std::optional<double> least;  ///< that the budget allows
  std::int64_t lost = 0;        ///< labels that only the float model gets right
  std::int64_t gained = 0;
  double p_value = 1;  ///< that `lost` and `gained` come so uneven by chance
};

/// The signal-to-noise ratio of the worst output in dB, at most 150, by sample.
using SampleRatios = std::vector<double>;

double mean_of(const SampleRatios& ratios);

/// A calibration method that was tried.
struct MethodTrial {
  CalibrationMethod method = CalibrationMethod::mse;
  bool is_fitted = false;  ///< weights and biases by what layers read; else the nearest ones
  SampleRatios ratios;

  /// A gain below 3 dB over the least squared error says nothing about other samples.
  double bonus() const { return method == CalibrationMethod::mse ? 3 : 0; }
  double preference() const { return mean_of(ratios) + bonus(); }
};

/// One thing that was tried.
struct TechniqueTrial {
  std::string technique;        ///< "balance", "rounding", "bias"
  std::vector<std::string> on;  ///< the groups that are balanced; empty: the whole model
  double gain_db = 0;           ///< of FormJudge's mean over what was there before
  bool is_kept = false;
};

/// A product that the search left in float.
struct LeftFloat {
  std::string node;
  double alone_db = 0;  ///< signal to noise of the outputs when nothing else is quantised
};

struct SearchResult {
  bool is_within = true;        ///< false: no plan with a quantised product keeps the budget
  std::int64_t candidates = 0;  ///< judged
  std::vector<LeftFloat> left;
  Worth worth;  ///< of `candidate`
};

/// Nodes of a plan that are computed together: one, or one with those that follow it.
struct ClusterUnit {
  std::string first;               ///< the first node's name in the file
  std::vector<std::string> nodes;  ///< of the plan
};

/// In the order of the plan.
struct QuantizedCluster {
  std::vector<ClusterUnit> units;

  std::vector<std::string> nodes() const;
};

/// A cluster, or a part of one that was split, measured by itself in both forms.
struct ClusterTimes {
  QuantizedCluster cluster;
  double float_ms = 0;
  double int8_ms = 0;
  double ratio = 1;  ///< int8 by float
  bool is_measured = false;
  bool is_kept = true;
};

struct KeptFaster {
  double float_ms = 0;  ///< of a whole run
  double int8_ms = 0;   ///< of what was kept
  std::vector<ClusterTimes> clusters;
  bool stores_rest = true;
};

/// What was measured of leaving a node in float.
struct Suggestion {
  std::string exclude;  ///< a name for --exclude
  double before_db = 0;
  double after_db = 0;
  double cost_ms = 0;  ///< that a run takes longer
};

}  // namespace ortool
