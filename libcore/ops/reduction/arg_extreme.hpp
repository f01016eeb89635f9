// ArgMax, ArgMin: where along an axis the biggest or smallest element stands.
// https://onnx.ai/onnx/operators/onnx__ArgMax.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What both share.
struct ArgExtreme {
  std::int64_t axis = 0;
  bool keep_dimension = true;  ///< as 1
  bool takes_last = false;     ///< of several equal ones, else the first

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct ArgMax : ArgExtreme {
  static const OpSchema schema;
};
struct ArgMin : ArgExtreme {
  static const OpSchema schema;
};

}  // namespace ortool
