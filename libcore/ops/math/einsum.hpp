// Einsum: sums of products over axes that a formula names, such as "ij,jk->ik".
// https://onnx.ai/onnx/operators/onnx__Einsum.html
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// One side of the formula: a letter an axis, and perhaps an ellipsis for any number of axes.
struct EinsumTerm {
  std::string letters;           ///< without the ellipsis
  std::ptrdiff_t ellipsis = -1;  ///< how many letters stand before it, or -1
};

struct Einsum {
  static const OpSchema schema;

  std::vector<EinsumTerm> inputs;
  EinsumTerm output;  ///< also where the formula leaves it out

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
