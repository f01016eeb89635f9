// Shape inference of a node written as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ortool::test {

/// One or more nodes with their inputs and constants, in ONNX's textual syntax: `y = Softmax <axis
/// = 1> (x)`, `float[N, 3] x, int64[2] s`, `int64[1] k = {5}`.
struct NodeText {
  std::string_view nodes;
  std::string_view inputs = {};
  std::string_view constants = {};
  std::int64_t opset = 28;
  std::int64_t ml_opset = 5;  ///< of ai.onnx.ml
};

/// The types of the last node's outputs without omitted ones, as "float32[N x 3], int64[?]". A
/// refusal is returned as "invalid: message".
std::string inferred(const NodeText& text);

}  // namespace ortool::test
