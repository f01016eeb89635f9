// Rows of functions and moves between a DequantizeLinear and a QuantizeLinear, as they are found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/precision/quantized_boundary.hpp"

namespace ortool {

/// A node of the chain.
struct ByteStep {
  enum class Kind {
    function,      ///< of each element by itself, the same for all
    of_a_channel,  ///< of each element by itself, one for each channel
    move,          ///< elements elsewhere, or left out, or more often
    choice,        ///< the same, but which ones depends on them, or zeros between: MaxPool, Pad
  };
  const Node* node;
  Kind kind;
  std::int64_t input;  ///< the one that comes from the node before

  bool is_function() const { return kind == Kind::function || kind == Kind::of_a_channel; }
};

struct ByteChain {
  Quantization from;
  std::vector<ByteStep> steps = {};  ///< in the order they run in
  std::int64_t rank = 0;             ///< of what functions meet, where that matters; 0 otherwise
  std::int64_t channels = 0;         ///< where functions differ from one to the other; 0 otherwise
  bool looks_up_first = false;       ///< the table before the moves, or after them

  bool has_functions() const;
};

/// What lies before the QuantizeLinear `end`, when bytes can go through a table and be moved, with
/// the same result: functions of constants, and moves that all functions stand on one side of as
/// far as it matters. `opset` is that of the standard's operators.
std::optional<ByteChain> read_byte_chain(const Node& end, std::int64_t opset);

}  // namespace ortool
