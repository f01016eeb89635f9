// Node view: what a provider sees of a node - operator, operand types, and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/provider/constant_store.hpp"
#include "libcore/provider/layout_choice.hpp"

namespace ortool {

/// A node with nodes fused into the same kernel, or a part of a graph in order of execution. Its
/// inputs are what members read from outside, in member order; its outputs what others read of
/// members before the last, and all of the last one's.
class NodeView {
 public:
  /// `constants` holds the content of constants; null: the graph still does.
  explicit NodeView(const Node& node, const ConstantStore* constants = nullptr)
      : members_{&node}, constants_(constants) {}
  explicit NodeView(std::vector<const Node*> members, const ConstantStore* constants = nullptr)
      : members_(std::move(members)), constants_(constants) {}

  /// The node that determines the group's operator.
  const Node& node() const { return *members_.front(); }
  std::span<const Node* const> fused_nodes() const { return std::span(members_).subspan(1); }
  std::span<const Node* const> members() const { return members_; }

  /// The group's inputs: the first node's, then those of the fused nodes, except values inside the group.
  std::vector<Value*> inputs() const;
  std::vector<Value*> outputs() const;

  /// Of the first node. Undefined type if omitted or unknown.
  DataType input_type(std::int64_t index) const;
  DataType output_type(std::int64_t index) const;
  /// The shape if all dimensions are known.
  std::optional<Shape> input_shape(std::int64_t index) const;
  /// Rank of an input, or -1 when unknown.
  std::int64_t input_rank(std::int64_t index) const;

  /// The layouts of the group's inputs and outputs; all plain until they are assigned.
  const LayoutChoice& layouts() const { return layouts_; }
  void set_layouts(LayoutChoice layouts) { layouts_ = std::move(layouts); }

  /// The constant at an input of the first node; null when it is omitted or computed.
  const Tensor* constant(std::int64_t index) const { return constant(node().input(index)); }
  /// The constant of any value that the group reads; null for null and for computed values.
  const Tensor* constant(const Value* value) const;
  /// The constant as stored in the model, with any alignment: keeping it costs no memory.
  const Tensor& original(const Value& value) const;
  const ConstantStore* constants() const { return constants_; }
  void set_constants(const ConstantStore& constants) { constants_ = &constants; }

 private:
  std::vector<const Node*> members_;
  LayoutChoice layouts_;
  const ConstantStore* constants_;
};

}  // namespace ortool
