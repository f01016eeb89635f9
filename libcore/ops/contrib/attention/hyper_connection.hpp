// com.microsoft.HyperConnectionPreMix, HyperConnectionPostMix, BranchwiseRMSNorm and EngramGate:
// the parallel residual streams of hyper-connections.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Streams: ... x branches x features, or both in one axis if `branches` is given.
struct HyperConnectionPreMix {
  static const OpSchema schema;

  std::int64_t branches = 0;
  float scale = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct HyperConnectionPostMix {
  static const OpSchema schema;

  std::int64_t branches = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct BranchwiseRMSNorm {
  static const OpSchema schema;

  std::int64_t branches = 0;
  float epsilon = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// A value for all branches, gated by the agreement of keys and queries.
struct EngramGate {
  static const OpSchema schema;

  float epsilon = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
