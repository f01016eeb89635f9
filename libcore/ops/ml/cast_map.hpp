// CastMap: the values of a map as a row, ordered by key.
// https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct CastMap {
  static const OpSchema schema;

  DataType to = DataType::float32;  ///< float32, int64 or string
  bool is_sparse = false;           ///< each value goes to the index given by its key
  std::int64_t size = 1;            ///< length of the row, if sparse

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
