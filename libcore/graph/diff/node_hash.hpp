// Hashes of nodes that do not know names: they propose which nodes of two models may be the same.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "libcore/graph/graph.hpp"

namespace ortool::diff {

/// How much of a node has to be the same.
enum class Level {
  full,      ///< operator, attributes, stored tensors
  soft,      ///< operator, types and shapes of stored tensors
  operator_  ///< operator
};

/// Mixes numbers and texts into 64 bits; the order counts.
class Mixer {
 public:
  explicit Mixer(std::uint64_t seed = 0x243f6a8885a308d3U) : state_(seed) {}
  Mixer& add(std::uint64_t number);
  Mixer& add(std::string_view text);
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_;
};

/// The tensor that a value always holds: an initialiser's or a Constant node's; null for others. A
/// captured value holds what the outer one does.
const Tensor* stored_tensor(const Value& value);
/// Whether the node does nothing but hold a tensor.
bool is_constant_node(const Node& node);
/// The value around all graphs that a captured value stands for; others stand for themselves.
const Value& outermost(const Value& value);

/// Remembers what it hashed. Reads at most 64 KiB of a tensor, spread over it: equal hashes mean
/// that looking closer is worth it, not more.
class NodeHasher {
 public:
  /// `reads_weights` false: of tensors only type and shape count.
  /// Attributes that `is_default`, which may be empty, says yes to are passed over.
  NodeHasher(bool reads_weights, std::function<bool(const Node&, const Attribute&)> is_default)
      : reads_weights_(reads_weights), is_default_(std::move(is_default)) {}

  /// Of a stored tensor; at Level::operator_ the same for all.
  std::uint64_t of_tensor(const Tensor& tensor, Level level);
  /// Operator and attributes, graphs in it by the nodes they hold in any order.
  std::uint64_t of_label(const Node& node, Level level);

 private:
  struct Labels {
    std::uint64_t full;
    std::uint64_t name;  ///< of the operator alone
  };

  std::uint64_t of_content(const Tensor& tensor);
  std::uint64_t of_attribute(const Attribute& attribute);
  std::uint64_t of_graph(const Graph& graph);
  std::uint64_t of_plain_label(const Node& node);

  bool reads_weights_;
  std::function<bool(const Node&, const Attribute&)> is_default_;
  std::unordered_map<const std::byte*, std::uint64_t> contents_;
  std::unordered_map<const Node*, Labels> labels_;
};

}  // namespace ortool::diff
