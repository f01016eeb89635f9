// ArgMax, ArgMin: the index of the maximum or minimum along an axis.
// https://onnx.ai/onnx/operators/onnx__ArgMax.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Common base of both.
struct ArgExtreme {
  std::int64_t axis = 0;
  bool keep_dimension = true;  ///< with size 1
  bool takes_last = false;     ///< the last of equal elements, else the first

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
