// Which channels of a model can be scaled together without changing what it computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"

namespace ortool {

/// A product whose constant weights no other node reads.
struct LinkedProduct {
  Node* node = nullptr;
  WeightMatrix matrix;
};

/// A constant operand with one number a channel of the node's result: a bias, what is added, the
/// scale of a normalisation.
struct LinkedConstant {
  Node* node = nullptr;
  std::int64_t input = 0;
};

/// The channels of the float values of a main graph, joined where scaling one means scaling the
/// other: through Relu, pooling, sums, concatenations and moves. A product or a normalisation parts
/// them, since its constants can take any factor up. What nothing can take up, as before a Sigmoid
/// or at the model's outputs, is held: its factor is one.
class ChannelLinks {
 public:
  explicit ChannelLinks(Model& model);

  /// The axis of the value's channels; nothing for values whose factors are all held.
  std::optional<std::int64_t> axis_of(const Value& value) const;
  /// For each channel of the value the number of those it is joined with, -1 where they are held.
  /// Empty for values without channels.
  std::vector<std::int64_t> classes_of(const Value& value) const;
  /// The value of that name, if it has channels; null otherwise.
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
  /// Gives the value channels along `axis`; false when their number is not known.
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

/// How a Conv, Gemm or MatMul makes its outputs from its second operand, a constant; nothing for
/// other nodes, and for a MatMul of more than a matrix.
std::optional<WeightMatrix> matrix_of_weights(const Node& node);

}  // namespace ortool
