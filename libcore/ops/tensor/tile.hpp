// Tile: repeats a tensor along its axes.
// https://onnx.ai/onnx/operators/onnx__Tile.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Tile {
  static const OpSchema schema;

  bool one_axis = false;  ///< version 1: input 1 is the number of tiles, input 2 the axis
  ValueOrInput<std::vector<std::int64_t>> repeats;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The repeats for all axes of a tensor of rank `rank` from version 1's inputs, both floating-point
/// scalars.
std::vector<std::int64_t> legacy_repeats(const Tensor& tiles, const Tensor& axis,
                                         std::int64_t rank);

}  // namespace ortool
