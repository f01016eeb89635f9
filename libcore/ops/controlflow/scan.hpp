// Scan: a graph run over slices of its inputs in turn, with states carried along.
// https://onnx.ai/onnx/operators/onnx__Scan.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs are states, then scanned tensors; the body maps (states, slices) to (states, scanned);
/// outputs are the last states, then the scanned slices stacked.
struct Scan {
  static const OpSchema schema;

  const Graph* body = nullptr;
  std::int64_t scan_inputs = 0;
  /// By scan input or output; 0 where left out. A reverse direction changes no shape.
  std::vector<std::int64_t> input_axes;
  std::vector<std::int64_t> output_axes;
  std::vector<std::int64_t> input_directions;
  std::vector<std::int64_t> output_directions;
  /// Version 8: lengths of the sequences come first, and all tensors have a batch dimension before
  /// the rest, of which the body sees nothing.
  bool is_batched = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
