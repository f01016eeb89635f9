// Einsum: sums of products over the axes named by an equation such as "ij,jk->ik".
// https://onnx.ai/onnx/operators/onnx__Einsum.html
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// One term of the equation: one letter for each axis, and optionally an ellipsis for any number of
/// axes.
struct EinsumTerm {
  std::string letters;           ///< without the ellipsis
  std::ptrdiff_t ellipsis = -1;  ///< the number of letters before it, or -1
};

struct Einsum {
  static const OpSchema schema;

  std::vector<EinsumTerm> inputs;
  EinsumTerm output;  ///< explicit, or derived if the equation omits it

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
