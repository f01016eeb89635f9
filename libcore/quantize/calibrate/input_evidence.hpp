// Input evidence: what a model file reveals about the scale of its training inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

/// The expected value range of an input, according to one source.
struct ExpectedRange {
  std::string input;
  ValueRange range;
  std::string source;  ///< "the model's metadata say that it"
  /// No value may lie outside; otherwise only the order of magnitude counts.
  bool is_strict = false;
};

/// A BatchNormalization reached from an input through convolutions, data movement and bounded
/// activations: during training its inputs had these per-channel means and deviations.
struct NormStatistics {
  std::string input;
  std::string node;
  std::string output;
  std::vector<double> means;
  std::vector<double> deviations;
};

/// A convolution of an input with a constant bias, after normalizations are folded into it.
struct BiasedLayer {
  std::string input;
  std::string output;
  std::vector<double> bias;  ///< per channel
};

struct ModelEvidence {
  std::vector<ExpectedRange> ranges;
  std::vector<NormStatistics> norms;
  std::vector<BiasedLayer> layers;
};

/// Collects evidence from the model before it is rewritten: ranges from metadata
/// (https://github.com/onnx/onnx/blob/main/docs/MetadataProps.md) and from (x - mean) / std at the
/// input itself, and normalization statistics. Requires inferred types.
ModelEvidence find_model_evidence(const Model& model);

/// Adds evidence from the rewritten model, and drops values that no longer exist.
void update_model_evidence(const Model& rewritten, ModelEvidence& model_evidence);

/// Adds the values that judge_inputs() needs statistics of.
void add_requests(const ModelEvidence& model_evidence, std::vector<ValueRequest>& requests);

}  // namespace ortool
