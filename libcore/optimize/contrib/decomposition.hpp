// Decomposition of one node into several, before shapes are known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/copy_safe_variant.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

/// Attributes that hold a single float, integer or string.
std::vector<Attribute> plain_attributes(
    std::vector<std::pair<std::string, CopySafeVariant<float, std::int64_t, std::string>>> given);

class Decomposition {
 public:
  /// The replacements of the outputs; empty when the node has no such form.
  using Results = std::vector<Value*>;

  explicit Decomposition(Node& node) : graph_(node.graph()), node_(node) {}

  /// Adds a node before the old one; returns its only output. Null inputs are omitted.
  Value& add(std::string_view op_type, std::vector<Value*> inputs,
             std::vector<Attribute> given = {}, std::string_view domain = "");
  /// Adds an ONNX node with several outputs.
  std::vector<Value*> add_many(std::string_view op_type, std::vector<Value*> inputs,
                               std::size_t outputs);
  /// Adds a node of ortool's own domain.
  Value& add_own(std::string_view op_type, std::vector<Value*> inputs,
                 std::vector<Attribute> given = {});
  /// A scalar of the type of the node's first float input if that is known, else float32.
  Value& number(double value);

  const Node& node() const { return node_; }
  /// Null when omitted.
  Value* input(std::int64_t index) const;
  std::int64_t opset() const { return graph_.opset(""); }

  /// The node's attributes except these.
  std::vector<Attribute> attributes_but(std::initializer_list<std::string_view> names) const;

 private:
  Graph& graph_;
  Node& node_;
};

}  // namespace ortool
