// Decomposition of one node into several, and the tables of operators that are decomposed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/copy_safe_variant.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/ops/contrib_domain.hpp"

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
                               std::size_t outputs, std::vector<Attribute> given = {},
                               std::string_view domain = "");
  /// Adds a node of ortool's own domain.
  Value& add_own(std::string_view op_type, std::vector<Value*> inputs,
                 std::vector<Attribute> given = {});
  /// Adds a node of com.microsoft, with one output or those that are wanted.
  Value& add_contrib(std::string_view op_type, std::vector<Value*> inputs,
                     std::vector<Attribute> given = {});
  std::vector<Value*> add_contrib_many(std::string_view op_type, std::vector<Value*> inputs,
                                       const std::vector<bool>& wanted,
                                       std::vector<Attribute> given = {});
  /// Adds a reduction, Squeeze or Unsqueeze, whose axes are an attribute or an input by the opset.
  Value& add_with_axes(std::string_view op_type, Value& x, std::vector<std::int64_t> axes);
  /// Adds a node with those outputs that are wanted; the others are null.
  std::vector<Value*> add_wanted(std::string_view op_type, std::vector<Value*> inputs,
                                 const std::vector<bool>& wanted, std::vector<Attribute> given = {},
                                 std::string_view domain = "");
  std::vector<Value*> add_wanted_own(std::string_view op_type, std::vector<Value*> inputs,
                                     const std::vector<bool>& wanted,
                                     std::vector<Attribute> given = {});
  /// Adds a node with the inputs, outputs and attributes of the old one, and imports the domain.
  std::vector<Value*> add_alike(std::string_view op_type, std::string_view domain);
  /// Adds a node of ortool's own domain with several outputs.
  std::vector<Value*> add_many_own(std::string_view op_type, std::vector<Value*> inputs,
                                   std::size_t outputs, std::vector<Attribute> given = {});
  /// Adds copies of the nodes of a graph that the node holds, with `inputs` as the graph's inputs;
  /// returns its outputs.
  std::vector<Value*> add_graph(const Graph& held, std::vector<Value*> inputs);
  /// A scalar of the type of the node's first float input if that is known, else float32.
  Value& number(double value);
  /// A constant; of rank 1 if it is a list of integers.
  Value& constant(Tensor value);
  Value& integers(std::span<const std::int64_t> values);

  const Node& node() const { return node_; }
  /// Null when omitted.
  Value* input(std::int64_t index) const;
  bool has_output(std::int64_t index) const;
  std::int64_t opset() const { return graph_.opset(""); }

  /// The type of an input, undefined if it is not known or the input is omitted.
  DataType element(std::int64_t index) const;
  /// The shape of an input as inferred; nothing if the rank is not known or the input is omitted.
  PartialShape shape(std::int64_t index) const;
  /// The rank of an input, or -1.
  std::int64_t rank(std::int64_t index) const;

  std::vector<Value*> inputs() const;
  /// The node's attributes except these.
  std::vector<Attribute> attributes_but(std::initializer_list<std::string_view> names) const;

 private:
  Graph& graph_;
  Node& node_;
};

/// How one operator is decomposed. The function returns a value for each output, null for those
/// that the node does not have; or nothing, before it has added any node, if the node has no such
/// form.
struct DecompositionRow {
  std::string_view op_type;
  Decomposition::Results (*decompose)(Decomposition& out);
  std::int64_t outputs = 1;  ///< those that the function makes; a node with others stays
  std::string_view domain = contrib_domain;
  bool has_weights = false;  ///< contains products by weights, which quantization looks for
};

// The tables by family, each in a file of its own.
std::span<const DecompositionRow> attention_decompositions();
std::span<const DecompositionRow> causal_conv_decompositions();
std::span<const DecompositionRow> channels_last_decompositions();
std::span<const DecompositionRow> decoder_attention_decompositions();
std::span<const DecompositionRow> flex_attention_decompositions();
std::span<const DecompositionRow> fused_decompositions();
std::span<const DecompositionRow> gated_delta_net_decompositions();
std::span<const DecompositionRow> hyper_connection_decompositions();
std::span<const DecompositionRow> legacy_decompositions();
std::span<const DecompositionRow> legacy_math_decompositions();
std::span<const DecompositionRow> linear_attention_decompositions();
std::span<const DecompositionRow> longformer_decompositions();
std::span<const DecompositionRow> nchwc_decompositions();
std::span<const DecompositionRow> packed_sequence_decompositions();
std::span<const DecompositionRow> qordered_decompositions();
std::span<const DecompositionRow> quantized_decompositions();
std::span<const DecompositionRow> quantized_product_decompositions();
std::span<const DecompositionRow> relative_position_decompositions();
std::span<const DecompositionRow> signal_decompositions();
std::span<const DecompositionRow> sparse_attention_decompositions();
std::span<const DecompositionRow> text_decompositions();
std::span<const DecompositionRow> vision_decompositions();
std::span<const DecompositionRow> weights_decompositions();

/// CausalConvWithState as a convolution, for files whose readers lack ONNX's operator of that name.
std::span<const DecompositionRow> plain_causal_convolutions();

}  // namespace ortool
