// Scan: runs a subgraph over consecutive slices of its inputs, with loop-carried states.
// https://onnx.ai/onnx/operators/onnx__Scan.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: states, then scan inputs. The body maps (states, slices) to (states, scan outputs).
/// Outputs: the final states, then the stacked scan outputs.
struct Scan {
  static const OpSchema schema;

  const Graph* body = nullptr;
  std::int64_t scan_inputs = 0;
  /// One for each scan input or output; 0 where omitted. A reverse direction changes no shape.
  std::vector<std::int64_t> input_axes;
  std::vector<std::int64_t> output_axes;
  std::vector<std::int64_t> input_directions;
  std::vector<std::int64_t> output_directions;
  /// Version 8: the sequence lengths are the first input, and all tensors have a leading batch
  /// dimension, which the body does not see.
  bool is_batched = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
