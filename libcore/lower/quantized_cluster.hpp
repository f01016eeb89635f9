// Cluster editing: replaces a quantized cluster by other nodes.
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

/// Replaces a QuantizeLinear (or a product) and the nodes that only it needs.
class ClusterEditor {
 public:
  /// For the node `end`, a QuantizeLinear or a product.
  ClusterEditor(Graph& graph, Node& end, MemoryCap* cap) : graph_(graph), end_(&end), cap_(cap) {}

  Graph& graph() const { return graph_; }
  MemoryCap* cap() const { return cap_; }
  Value& constant(Tensor tensor) const { return graph_.add_constant("", std::move(tensor)); }
  /// The zero point, created if omitted.
  Value& zero_point_of(const Quantization& quantization) const;

  /// Adds a node with a new output before the end. Attributes are copied from `like`.
  Value& add(std::string_view op_type, std::string_view domain,
             std::initializer_list<Value*> inputs, const Node* like = nullptr) const;
  Value& add(std::string_view op_type, std::string_view domain, const std::vector<Value*>& inputs,
             const Node* like = nullptr) const;
  /// The node that add() created for the value.
  static Node& producer(Value& value) { return *value.producer(); }

  /// `value` replaces the end's output, and takes its name if add() created it; the end and all
  /// nodes without remaining consumers are removed.
  void finish(Value& value);

 private:
  Graph& graph_;
  Node* end_;
  MemoryCap* cap_;
};

/// The value clamped to the bounds; unchanged where the type implies them.
Value& clip_bytes(const ClusterEditor& editor, Value& value, const Int8Bounds& bounds,
                  DataType type);

// The rewrites, by the operator before the QuantizeLinear: each returns whether it applied.
bool fuse_quantized_product(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_conv_transpose(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_mean(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_binary(ClusterEditor& editor, const Node& end, const Quantization& to);
bool fuse_quantized_chain(ClusterEditor& editor, const Node& end, const Quantization& to);
/// A quantized MatMul or Gemm, which is the editor's end, whatever its consumers.
bool fuse_quantized_sums(ClusterEditor& editor, const Node& node);

/// The nodes from the DequantizeLinears of a cluster to its end, the end last.
std::vector<std::string> cluster_names(const Node& end);

}  // namespace ortool
