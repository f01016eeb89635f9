// Reading the ends of a quantised cluster, and putting nodes in its place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "libcore/base/memory_cap.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

/// What bytes stand for: constants all.
struct Quantization {
  Value* bytes = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;  ///< null: 0
  DataType type = DataType::undefined;
  std::int64_t axis = 0;  ///< along which a list of scales goes

  bool is_single() const { return scale->constant().element_count() == 1; }
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

/// Products of bytes that are sure to fit int32 together with a bias of half its range.
constexpr std::int64_t most_byte_products = (1 << 30) / (255 * 255);

/// Weights of channels, the scale and zero point of each or of all.
struct QuantizedWeights {
  Quantization by;
  std::int64_t channels = 0;

  /// Whether sums over all but the channels fit.
  bool has_safe_sums() const;
};

/// Constant weights of bytes of at least that rank, quantised along `axis` where there is more than
/// one scale.
std::optional<QuantizedWeights> quantized_weights(const Value* value, std::int64_t axis,
                                                  std::int64_t least_rank);
/// A matrix of bytes with rows for columns.
Tensor transposed_bytes(const Tensor& matrix, MemoryCap* cap);

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

/// Puts nodes in the place of a QuantizeLinear (or of a product) and what only it needs.
class ClusterEditor {
 public:
  /// Of the node `end`, a QuantizeLinear or a product.
  ClusterEditor(Graph& graph, Node& end, MemoryCap* cap) : graph_(graph), end_(&end), cap_(cap) {}

  Graph& graph() const { return graph_; }
  MemoryCap* cap() const { return cap_; }
  Value& constant(Tensor tensor) const { return graph_.add_constant("", std::move(tensor)); }
  /// The zero point, made where it is left out.
  Value& zero_point_of(const Quantization& quantization) const;

  /// A node before the end, with a new value that it makes. Attributes come from `like`.
  Value& add(std::string_view op_type, std::string_view domain,
             std::initializer_list<Value*> inputs, const Node* like = nullptr) const;
  Value& add(std::string_view op_type, std::string_view domain, const std::vector<Value*>& inputs,
             const Node* like = nullptr) const;
  /// The node that made the value by add().
  static Node& maker(Value& value) { return *value.producer(); }

  /// Every reader of the end's output reads `value` instead; the end and all that is read by
  /// nothing any more goes away.
  void finish(Value& value);

 private:
  Graph& graph_;
  Node* end_;
  MemoryCap* cap_;
};

// The rewrites, by what stands before the QuantizeLinear: each returns whether it did one.
bool fuse_quantized_product(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_binary(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_move(ClusterEditor& editor, const Node& end, const Quantization& to);
/// A MatMul or Gemm of bytes, which is the editor's end, whatever follows it.
bool fuse_quantized_sums(ClusterEditor& editor, const Node& node);

}  // namespace ortool
