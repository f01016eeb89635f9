// Channel links: which channels can be rescaled together without changing the model's function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"

namespace ortool {

/// A product with constant weights that have no other consumer.
struct LinkedProduct {
  Node* node = nullptr;
  WeightMatrix matrix;
};

/// A constant operand with one element per channel of the node's result: a bias, an addend, or the
/// scale of a normalization.
struct LinkedConstant {
  Node* node = nullptr;
  std::int64_t input = 0;
};

/// The channels of the float values of a main graph, grouped into classes that must share a factor:
/// linked through Relu, pooling, sums, concatenations and data movement. A product or a
/// normalization separates classes, since its constants can absorb any factor. Channels whose
/// factor nothing can absorb, as before a Sigmoid or at the model's outputs, are fixed at 1.
class ChannelLinks {
 public:
  explicit ChannelLinks(Model& model);

  /// The channel axis of the value; nothing for values whose factors are all fixed.
  std::optional<std::int64_t> axis_of(const Value& value) const;
  /// The class of each channel of the value, -1 where fixed. Empty for values without channels.
  std::vector<std::int64_t> classes_of(const Value& value) const;
  /// The value of that name if it has channels; otherwise null.
  const Value* find(std::string_view name) const;
  std::int64_t class_count() const { return static_cast<std::int64_t>(parents_.size()); }

  const std::vector<LinkedProduct>& products() const { return products_; }
  const std::vector<LinkedConstant>& constants() const { return constants_; }

 private:
  struct Channels {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t axis = 0;
  };

  void link(Node& node);
  void link_product(Node& node);
  void link_normalization(Node& node);
  void link_sum(Node& node);
  void link_factor(Node& node);
  void link_concat(Node& node);
  void link_pad(Node& node);
  void link_moved(Node& node);
  void link_same(Node& node);
  bool takes_constant(Node& node, std::int64_t input);
  void hold_node(const Node& node);
  void hold(const Value* value);

  const Channels* channels_of(const Value* value) const;
  /// Defines the value's channels along `axis`; false when their number is unknown.
  bool give(const Value* value, std::int64_t axis, std::int64_t count);
  std::int64_t root(std::int64_t channel) const;
  void join(std::int64_t one, std::int64_t other);
  void join_values(const Value* one, const Value* other);

  const Graph& graph_;
  std::unordered_map<const Value*, Channels> channels_;
  mutable std::vector<std::int64_t> parents_;
  std::vector<bool> is_held_;
  std::vector<LinkedProduct> products_;
  std::vector<LinkedConstant> constants_;
};

/// How a Conv, Gemm or MatMul applies its constant second operand; nothing for other nodes, and for
/// a MatMul whose weights are not a matrix.
std::optional<WeightMatrix> matrix_of_weights(const Node& node);

}  // namespace ortool
