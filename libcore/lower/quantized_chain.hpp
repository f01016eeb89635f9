// Chains of functions and data movement between a DequantizeLinear and a QuantizeLinear.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/optimize/precision/quantized_boundary.hpp"

namespace ortool {

/// A node of the chain.
struct QuantizedStep {
  enum class Kind {
    function,      ///< elementwise, the same function for all
    of_a_channel,  ///< elementwise, with a function per channel
    move,          ///< moves, omits or repeats elements
    choice,        ///< the same, but depending on values, or inserting zeros: MaxPool, Pad
  };
  const Node* node;
  Kind kind;
  std::int64_t input;  ///< the one computed by the previous node

  bool is_function() const { return kind == Kind::function || kind == Kind::of_a_channel; }
};

struct QuantizedChain {
  Quantization from;
  std::vector<QuantizedStep> steps = {};  ///< in execution order
  std::int64_t rank = 0;                  ///< at the functions, where it matters; otherwise 0
  std::int64_t channels = 0;              ///< for per-channel functions; otherwise 0
  bool looks_up_first = false;            ///< the table lookup precedes the moves

  bool has_functions() const;
};

/// The chain before the QuantizeLinear `end`, if a table lookup and movement of quantized values
/// give the same result: functions of constants, all on the same side of the moves with which they
/// do not commute. `opset` is that of ONNX's operators.
std::optional<QuantizedChain> read_quantized_chain(const Node& end, std::int64_t opset);

}  // namespace ortool
