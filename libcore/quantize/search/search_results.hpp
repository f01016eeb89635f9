// Search results: trials of methods, techniques, budgets and clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/search/budget.hpp"

namespace ortool {

/// The accuracy of one model.
struct CandidateScore {
  double value = 0;                 ///< higher is better
  std::vector<char> is_right = {};  ///< per label, for top1 and top5
};

/// The accuracy of the float and of the quantized model.
struct Accuracy {
  BudgetMetric metric = BudgetMetric::top1;
  std::int64_t count = 0;  ///< number of labels, or of samples
  double before = 0;
  double after = 0;
  std::optional<double> least;  ///< allowed by the budget
  std::int64_t lost = 0;        ///< labels that only the float model gets right
  std::int64_t gained = 0;
  double p_value = 1;  ///< of a difference between `lost` and `gained` this large by chance
};

/// The SQNR of the worst output in dB, at most 150, per sample.
using SampleRatios = std::vector<double>;

double mean_of(const SampleRatios& ratios);

/// A calibration method that was tried.
struct MethodTrial {
  CalibrationMethod method = CalibrationMethod::mse;
  bool is_fitted = false;  ///< with fitted weights and biases; otherwise nearest rounding
  SampleRatios ratios;
};

/// A technique that was tried.
struct TechniqueTrial {
  std::string technique;        ///< "balance", "rounding", "bias"
  std::vector<std::string> on;  ///< balanced groups; empty: the whole model
  double gain_db = 0;           ///< of SqnrJudge's mean over the best before
  bool is_kept = false;
};

/// A product that the search left in float.
struct FloatNode {
  std::string node;
  double alone_db = 0;  ///< SQNR of the outputs when only it is quantized
};

struct SearchResult {
  bool is_within = true;        ///< false: no plan with a quantized product keeps the budget
  std::int64_t candidates = 0;  ///< number evaluated
  std::vector<FloatNode> left;
  CandidateScore model_score;  ///< of `candidate`
};

/// Fused nodes of a plan: one, or one with the nodes fused into it.
struct ClusterUnit {
  std::string first;               ///< the first node's name in the file
  std::vector<std::string> nodes;  ///< of the plan
};

/// In plan order.
struct QuantizedCluster {
  std::vector<ClusterUnit> units;

  std::vector<std::string> nodes() const;
};

/// A cluster, or part of one that was split, timed standalone in both forms.
struct ClusterTimes {
  QuantizedCluster cluster;
  double float_ms = 0;
  double int8_ms = 0;
  double ratio = 1;  ///< int8 / float
  bool is_measured = false;
  bool is_kept = true;
};

struct FasterClusters {
  double float_ms = 0;  ///< of a whole run
  double int8_ms = 0;   ///< of the final model
  std::vector<ClusterTimes> clusters;
  bool stores_rest = true;
};

/// The measured effect of leaving a node in float.
struct Suggestion {
  std::string exclude;  ///< a name for --exclude
  double before_db = 0;
  double after_db = 0;
  double cost_ms = 0;  ///< additional run time
};

}  // namespace ortool
