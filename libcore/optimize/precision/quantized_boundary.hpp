// The ends of a quantised cluster: how values come from bytes and become bytes again.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// What bytes stand for: constants all.
struct Quantization {
  Value* bytes = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;  ///< null: 0
  DataType type = DataType::undefined;
  std::int64_t axis = 0;  ///< along which a list of scales goes

  /// The scales; in a body they may be those of a graph around it.
  const Tensor& scales() const;
  bool is_single() const { return scales().element_count() == 1; }
  float scale_at(std::int64_t index) const;
  std::int64_t zero_at(std::int64_t index) const;
  /// The same scale and zero point, each one for all, and the same type.
  bool is_like(const Quantization& other) const;
};

/// How `value` comes from bytes, when it is the float32 result of a DequantizeLinear whose scales
/// (positive and finite) and zero points are constants, not in blocks. int32 counts as bytes too.
std::optional<Quantization> dequantized(const Value* value);
/// The same with one scale, of int8 or uint8.
std::optional<Quantization> dequantized_bytes(const Value* value);
/// How a QuantizeLinear makes bytes (int8 or uint8, one constant scale); `bytes` is its output.
std::optional<Quantization> quantized(const Node& node);

/// The node that makes `value` when nothing but one node's input reads it; null otherwise.
Node* only_maker(const Value* value);

/// The byte, as the number it is, that `value` becomes.
std::int64_t quantize_number(float value, const Quantization& by);

/// Bytes that a result keeps to.
struct ByteBounds {
  std::int64_t low;
  std::int64_t high;

  static ByteBounds of(DataType type);
};

/// Goes back over Relu and Clip with constant bounds before the quantisation `to`. Leaves `value`
/// at what they are applied to.
ByteBounds peel_clips(const Value*& value, const Quantization& to);

}  // namespace ortool
