// FeatureVectorizer: several groups of features side by side, as float32.
// https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct FeatureVectorizer {
  static const OpSchema schema;

  /// Columns each input gets in the output, cut or filled with zeros; empty: as many as it has.
  std::vector<std::int64_t> widths;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
