// Questions that many kernel rows ask a node, with the words that tell the user.
#pragma once

#include "libcore/ops/op_schema.hpp"
#include "libcore/runtime/node_view.hpp"

namespace ortool::cpu {

constexpr const char* float_type_names = "float32, float64, float16, bfloat16";
constexpr const char* half_type_names = "float16, bfloat16";

// Each looks at the type of the first input.
inline bool accepts_floats(const NodeView& view) {
  return types::floats.contains(view.input_type(0));
}
inline bool accepts_integers(const NodeView& view) {
  return types::integers.contains(view.input_type(0));
}
inline bool accepts_float32(const NodeView& view) {
  return view.input_type(0) == DataType::float32;
}
inline bool accepts_halves(const NodeView& view) {
  return view.input_type(0) == DataType::float16 || view.input_type(0) == DataType::bfloat16;
}

}  // namespace ortool::cpu
