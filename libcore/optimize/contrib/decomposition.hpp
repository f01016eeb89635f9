// The nodes that take the place of one, while shapes are not known yet.
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

/// Attributes that are one float, number or text.
std::vector<Attribute> plain_attributes(
    std::vector<std::pair<std::string, CopySafeVariant<float, std::int64_t, std::string>>> given);

class Decomposition {
 public:
  /// What stands for the outputs; empty where the node has no such form.
  using Results = std::vector<Value*>;

  explicit Decomposition(Node& node) : graph_(node.graph()), node_(node) {}

  /// A node in front of the old one; its only output. Null inputs are left out.
  Value& add(std::string_view op_type, std::vector<Value*> inputs,
             std::vector<Attribute> given = {}, std::string_view domain = "");
  /// A node of ONNX's with several outputs.
  std::vector<Value*> add_many(std::string_view op_type, std::vector<Value*> inputs,
                               std::size_t outputs);
  /// Of ortool's own domain.
  Value& add_own(std::string_view op_type, std::vector<Value*> inputs,
                 std::vector<Attribute> given = {});
  /// One number, of the type of the node's first input of floats where that is known, else float32.
  Value& number(double value);

  const Node& node() const { return node_; }
  /// Null where it is left out.
  Value* input(std::int64_t index) const;
  std::int64_t opset() const { return graph_.opset(""); }

  /// The node's own attributes but these.
  std::vector<Attribute> attributes_but(std::initializer_list<std::string_view> names) const;

 private:
  Graph& graph_;
  Node& node_;
};

}  // namespace ortool
