// Name-independent hashes of nodes, which propose candidates for matching.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "libcore/graph/node.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::diff {

/// How much of a node must be equal.
enum class HashScope {
  full,      ///< operator, attributes, stored tensors
  soft,      ///< operator, types and shapes of stored tensors
  operator_  ///< operator
};

/// Mixes numbers and texts into 64 bits; the order matters.
class Mixer {
 public:
  explicit Mixer(std::uint64_t seed = 0x243f6a8885a308d3U) : state_(seed) {}
  Mixer& add(std::uint64_t number);
  Mixer& add(std::string_view text);
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_;
};

/// A tensor that a value always holds.
struct StoredTensor {
  explicit StoredTensor(const Tensor& tensor);
  StoredTensor(DataType data_type, Shape dimensions);

  DataType type;
  Shape shape;
  const Tensor* content = nullptr;  ///< null: it was taken from the graph
};

/// An initializer's tensor or a Constant node's; nothing for other values. A captured value holds
/// the tensor of the outer one.
std::optional<StoredTensor> stored_tensor(const Value& value);
bool is_stored(const Value& value);
/// The stored tensor, or the default of a graph input; the value has one of them.
StoredTensor tensor_of(const Value& value);
/// Whether the node only holds a tensor.
bool is_constant_node(const Node& node);
/// The outermost value that a captured value stands for; other values are returned as they are.
const Value& outermost(const Value& value);

/// Caches its hashes. Reads at most 64 KiB of a tensor, sampled over its length, so equal hashes
/// only indicate that an exact comparison is worthwhile.
class NodeHasher {
 public:
  /// `reads_weights` false: tensors are hashed by type and shape only. Attributes for which
  /// `is_default` (may be empty) returns true are ignored.
  NodeHasher(bool reads_weights, std::function<bool(const Node&, const Attribute&)> is_default)
      : reads_weights_(reads_weights), is_default_(std::move(is_default)) {}

  /// Hash of a stored tensor; at Level::operator_ the same for all.
  std::uint64_t of_tensor(const StoredTensor& tensor, HashScope scope);
  /// Hash of operator and attributes; graphs in it by their set of nodes.
  std::uint64_t of_label(const Node& node, HashScope scope);

 private:
  struct Labels {
    std::uint64_t full;
    std::uint64_t name;  ///< of the operator only
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
