// What shape inference makes of a node written as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ortool::test {

/// A node (or several, one after the other) and what it stands on, in ONNX's textual syntax:
/// `y = Softmax <axis = 1> (x)`, `float[N, 3] x, int64[2] s`, `int64[1] k = {5}`.
struct NodeText {
  std::string_view nodes;
  std::string_view inputs = {};
  std::string_view constants = {};
  std::int64_t opset = 28;
  std::int64_t ml_opset = 5;  ///< of ai.onnx.ml
};

/// The types of the last node's outputs, as "float32[N x 3], int64[?]"; outputs left out are none.
/// A refusal comes back as "invalid: message".
std::string inferred(const NodeText& text);

}  // namespace ortool::test
