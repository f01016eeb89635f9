// What a provider sees of a node: the node, the types of its operands, and which are constant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/layout_choice.hpp"

namespace ortool {

/// A node, with nodes behind it that the same kernel computes (an activation after a convolution).
/// The group reads what its members read from outside, in the order of the members, and makes the
/// last member's outputs.
class NodeView {
 public:
  explicit NodeView(const Node& node) : members_{&node} {}
  explicit NodeView(std::vector<const Node*> members) : members_(std::move(members)) {}

  /// The node that gives the group its operator.
  const Node& node() const { return *members_.front(); }
  std::span<const Node* const> followers() const { return std::span(members_).subspan(1); }
  std::span<const Node* const> members() const { return members_; }

  /// The group's inputs: the first node's, then the followers' other than what flows inside.
  std::vector<Value*> inputs() const;
  std::vector<Value*> outputs() const;

  /// Of the first node. Undefined type where left out or unknown.
  DataType input_type(std::int64_t index) const;
  DataType output_type(std::int64_t index) const;
  /// Known dimensions, where all are.
  std::optional<Shape> input_shape(std::int64_t index) const;
  /// Rank of an input, or -1 when unknown.
  std::int64_t input_rank(std::int64_t index) const;

  /// How the group's inputs and outputs lie; all plain until a choice is made.
  const LayoutChoice& layouts() const { return layouts_; }
  void set_layouts(LayoutChoice layouts) { layouts_ = std::move(layouts); }

  /// The constant, or null when the input is left out or computed.
  const Tensor* constant(std::int64_t index) const;

 private:
  std::vector<const Node*> members_;
  LayoutChoice layouts_;
};

}  // namespace ortool
