// Conversion to float16 or bfloat16, except for nodes that must keep float32.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A node that stays in float32, and why.
struct KeptNode {
  std::string node;
  std::string reason;
};

struct FloatConversionReport {
  DataType type = DataType::float16;
  std::int64_t converted = 0;
  std::vector<std::string> nodes;  ///< those converted, by name, in execution order
  std::vector<KeptNode> kept;      ///< whose operator has a form in 16 bits
};

/// The largest finite number of float16 or bfloat16.
double largest_finite(DataType type);

/// Converts the nodes of the main graph and all its bodies from float32 to `type`, float16 or
/// bfloat16, if their operator supports it, with casts at the boundaries. Inputs and outputs of
/// every graph keep their types, and so do nodes with subgraphs; functions are not touched. Weights
/// get the type; a node stays in float32 when one of its weights exceeds the range of the type,
/// when a weight of one element would become zero, when its operator takes the type only in a later
/// opset, and when `keeps` gives a reason. Types must have been inferred; new values have none
/// until they are inferred again.
FloatConversionReport convert_to_16_bits(Model& model, DataType type,
                                         const std::function<std::string(const Node&)>& keeps);

}  // namespace ortool
