// The shape rules of operators, run on numbers: concrete inputs give concrete outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool {

/// What a shape rule told of an output.
struct RuledOutput {
  DataType type = DataType::undefined;  ///< undefined: left out, or no tensor
  std::optional<Shape> shape;           ///< nothing: the rule lacked content, or could not tell
  std::optional<Tensor> content;        ///< where the rule told all of it
};

/// Runs the shape rule of `node` on operands by position (an input that is given but no tensor goes
/// by the type the graph knows). `wanted` becomes the positions of inputs whose content the rule
/// asked for in vain. No shape is concluded while the rule lacks content that decides shapes
/// (InferContext::input_value, input_dimensions): it could not check that content. Errors name the
/// node.
std::vector<RuledOutput> apply_shape_rule(const Node& node, std::span<const Operand> inputs,
                                          std::vector<std::int64_t>& wanted);

}  // namespace ortool
