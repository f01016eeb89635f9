// com.microsoft.RelativePositionBias and GatedRelativePositionBias: what T5 and WavLM add to the
// scores of attention for the distance between query and key.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The table of buckets by heads lies in memory head by head.
struct RelativePositionBias {
  static const OpSchema schema;

  bool is_bidirectional = false;
  std::int64_t max_distance = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// A position bias times gates that the queries decide.
struct GatedRelativePositionBias {
  static const OpSchema schema;

  std::int64_t heads = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
