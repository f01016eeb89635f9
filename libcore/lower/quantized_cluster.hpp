// Putting nodes in the place of a quantised cluster.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/precision/quantized_boundary.hpp"
#include "libcore/optimize/precision/quantized_product.hpp"

namespace ortool {

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

  /// `value` takes the place of the end's output, and its name where add() made it; the end and all
  /// that is read by nothing any more goes away.
  void finish(Value& value);

 private:
  Graph& graph_;
  Node* end_;
  MemoryCap* cap_;
};

/// Whether bytes can be kept to the bounds: they are the type's, or the opset has a Clip of bytes.
bool can_clip(const ClusterEditor& editor, const ByteBounds& bounds, DataType type);
/// The value kept to the bounds; itself where the type does so.
Value& clip_bytes(const ClusterEditor& editor, Value& value, const ByteBounds& bounds,
                  DataType type);

// The rewrites, by what stands before the QuantizeLinear: each returns whether it did one.
bool fuse_quantized_product(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_spread(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_mean(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_binary(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_chain(ClusterEditor& editor, const Node& end, const Quantization& to);
/// A MatMul or Gemm of bytes, which is the editor's end, whatever follows it.
bool fuse_quantized_sums(ClusterEditor& editor, const Node& node);

/// Of the nodes from the end of a cluster back to where its floats come from bytes, the end last.
std::vector<std::string> cluster_names(const Node& end);

}  // namespace ortool
