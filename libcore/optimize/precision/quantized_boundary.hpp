// Boundaries of QDQ clusters: quantization parameters of inputs and outputs.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/graph/node.hpp"

namespace ortool {

class Graph;

/// Quantization parameters; all are constants.
struct Quantization {
  Value* bytes = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;  ///< null: 0
  DataType type = DataType::undefined;
  std::int64_t axis = 0;  ///< of per-channel scales

  /// The scales; in a body they may belong to an enclosing graph.
  const Tensor& scales() const;
  bool is_single() const { return scales().element_count() == 1; }
  float scale_at(std::int64_t index) const;
  std::int64_t zero_at(std::int64_t index) const;
  /// Whether both are per tensor, with equal scale, zero point and type.
  bool is_like(const Quantization& other) const;
};

/// The quantization parameters of `value` if it is the float32 result of a DequantizeLinear with
/// constant zero points and constant scales that are positive and finite, not blockwise. Accepts
/// int32 as well.
std::optional<Quantization> dequantized(const Value* value);
/// The same for per-tensor int8 or uint8.
std::optional<Quantization> dequantized_bytes(const Value* value);
/// The parameters of a QuantizeLinear to int8 or uint8 with one constant scale; `bytes` is its
/// output.
std::optional<Quantization> quantized(const Node& node);

/// The producer of `value` if it has a single consumer, by one input; otherwise null.
Node* only_producer(const Value* value);

/// The quantized value of `value`.
std::int64_t quantize_number(float value, const Quantization& by);

/// The range of quantized values that a result is clamped to.
struct Int8Bounds {
  std::int64_t low;
  std::int64_t high;

  static Int8Bounds of(DataType type);
  bool are_of(DataType type) const;  ///< the full range of the type
};

/// Walks backward over Relu and Clip with constant bounds before the quantization `to`. Sets
/// `value` to their input.
Int8Bounds peel_clips(const Value*& value, const Quantization& to);

/// Whether the bounds can be enforced: they are the type's, or the opset's Clip supports int8.
bool can_clip_bytes(const Graph& graph, const Int8Bounds& bounds, DataType type);

}  // namespace ortool
