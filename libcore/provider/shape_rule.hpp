// Shape rules applied to concrete shapes: output shapes from input shapes and contents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool {

/// The result of a shape rule for an output.
struct RuledOutput {
  DataType type = DataType::undefined;  ///< undefined: omitted, or not a tensor
  std::optional<Shape> shape;           ///< nothing: the rule lacked content, or could not infer it
  std::optional<Tensor> content;        ///< if the rule inferred all of it
};

/// Runs the shape rule of `node` on operands by position (an input that is present but not a tensor
/// has the type known to the graph). `wanted` receives the positions of inputs whose content the
/// rule needed but lacked. No shape is inferred while the rule lacks content that determines shapes
/// (InferContext::input_value, input_dimensions): it could not validate that content. Errors name
/// the node.
std::vector<RuledOutput> apply_shape_rule(const Node& node, std::span<const Operand> inputs,
                                          std::vector<std::int64_t>& wanted);

}  // namespace ortool
