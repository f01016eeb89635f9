// FeatureVectorizer: concatenates several groups of features as float32.
// https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct FeatureVectorizer {
  static const OpSchema schema;

  /// Number of output columns for each input, truncated or padded with zeros; empty: as many as it
  /// has.
  std::vector<std::int64_t> widths;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
