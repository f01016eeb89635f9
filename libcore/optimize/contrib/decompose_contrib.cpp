// Contrib operator decomposition. Runs before shape inference, so it must not depend on ranks: a
// product of transposed matrices becomes an Einsum, which another rule turns into a MatMul once
// ranks are known.
#include "libcore/optimize/contrib/decompose_contrib.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/decompose_contrib_quantized.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/opset/node_edits.hpp"

namespace ortool {
namespace {

/// The output of a SkipLayerNormalization that holds the sum itself.
constexpr std::int64_t sum_output = 3;

float number_of(const Node& node, std::string_view name, float otherwise) {
  return float_of(node, name).value_or(otherwise);
}

bool has_input(const Node& node, std::int64_t index) {
  return index < node.input_count() && node.input(index) != nullptr;
}

bool has_output(const Node& node, std::int64_t index) {
  return index < node.output_count() && node.output(index) != nullptr;
}

using Results = Decomposition::Results;

/// The activation at the end of a fused node, with up to two parameters.
struct Activation {
  std::string function;
  std::vector<float> numbers;

  bool is_known() const {
    if (function == "LeakyRelu") return numbers.size() == 1;
    if (function == "Clip" || function == "HardSigmoid") return numbers.size() == 2;
    return function.empty() || function == "Relu" || function == "Tanh" || function == "Sigmoid";
  }
};

Value& activated(Decomposition& out, Value& x, const Activation& activation) {
  const std::string& function = activation.function;
  if (function.empty()) return x;
  if (function == "LeakyRelu")
    return out.add(function, {&x}, plain_attributes({{"alpha", activation.numbers[0]}}));
  if (function == "HardSigmoid")
    return out.add(
        function, {&x},
        plain_attributes({{"alpha", activation.numbers[0]}, {"beta", activation.numbers[1]}}));
  if (function != "Clip") return out.add(function, {&x});
  if (out.opset() < opset_of_input("Clip", "min"))
    return out.add(
        function, {&x},
        plain_attributes({{"min", activation.numbers[0]}, {"max", activation.numbers[1]}}));
  Value& low = out.number(static_cast<double>(activation.numbers[0]));
  return out.add(function, {&x, &low, &out.number(static_cast<double>(activation.numbers[1]))});
}

Results fused_conv(Decomposition& out) {
  const Node& node = out.node();
  Activation activation{std::string(text_attribute(node, "activation", "")), {}};
  const Attribute* given = node.find_attribute("activation_params");
  if (given != nullptr) {
    const auto* numbers = std::get_if<std::vector<float>>(&given->value);
    if (numbers != nullptr) activation.numbers = *numbers;
  }
  if (!activation.is_known()) return {};
  std::vector<Value*> inputs = {out.input(0), out.input(1)};
  if (has_input(node, 2)) inputs.push_back(out.input(2));
  Value* sum = &out.add("Conv", inputs, out.attributes_but({"activation", "activation_params"}));
  if (has_input(node, 3)) sum = &out.add("Add", {sum, out.input(3)});
  return {&activated(out, *sum, activation)};
}

Results fused_gemm(Decomposition& out) {
  const Node& node = out.node();
  Activation activation{std::string(text_attribute(node, "activation", "")), {}};
  for (const std::string_view name : {"activation_alpha", "activation_beta"}) {
    if (const auto number = float_of(node, name)) activation.numbers.push_back(*number);
  }
  if (!activation.is_known()) return {};
  std::vector<Value*> inputs = {out.input(0), out.input(1)};
  if (has_input(node, 2)) inputs.push_back(out.input(2));
  Value& product = out.add("Gemm", inputs,
                           out.attributes_but({"activation", "activation_alpha", "activation_beta",
                                               "activation_gamma"}));
  return {&activated(out, product, activation)};
}

Results fused_matmul(Decomposition& out) {
  const Node& node = out.node();
  const bool transposes_a = integer_of(node, "transA", 0) != 0;
  const bool transposes_b = integer_of(node, "transB", 0) != 0;
  if (integer_of(node, "transBatchA", 0) != 0 || integer_of(node, "transBatchB", 0) != 0 ||
      ((transposes_a || transposes_b) && out.opset() < opset_of("Einsum")))
    return {};
  Value* product = nullptr;
  if (transposes_a || transposes_b) {
    const std::string formula =
        format("...{},...{}->...ik", transposes_a ? "ji" : "ij", transposes_b ? "kj" : "jk");
    product =
        &out.add("Einsum", {out.input(0), out.input(1)}, plain_attributes({{"equation", formula}}));
  } else {
    product = &out.add("MatMul", {out.input(0), out.input(1)});
  }
  const float alpha = number_of(node, "alpha", 1);
  if (alpha == 1) return {product};
  return {&out.add("Mul", {product, &out.number(static_cast<double>(alpha))})};
}

/// Gelu of x, or of x plus a bias.
Results gelu(Decomposition& out, const char* approximation) {
  Value* x = out.input(0);
  if (has_input(out.node(), 1)) x = &out.add("Add", {x, out.input(1)});
  return {
      &out.add_own("Gelu", {x}, plain_attributes({{"approximate", std::string(approximation)}}))};
}

Results quick_gelu(Decomposition& out) {
  constexpr float usual_alpha = 1.702F;
  return {&out.add_own("Swish", {out.input(0)},
                       plain_attributes({{"alpha", number_of(out.node(), "alpha", usual_alpha)}}))};
}

/// `op_type` applied to the sum of the first two inputs and of a bias, the input `bias`.
Results normalized_sum(Decomposition& out, const char* op_type, std::int64_t bias) {
  constexpr float usual_epsilon = 1e-12F;
  const Node& node = out.node();
  Value* sum = &out.add("Add", {out.input(0), out.input(1)});
  if (has_input(node, bias)) sum = &out.add("Add", {sum, out.input(bias)});
  std::vector<Value*> inputs = {sum, out.input(2)};
  if (bias > 3 && has_input(node, 3)) inputs.push_back(out.input(3));
  Value& normal = out.add_own(
      op_type, inputs, plain_attributes({{"epsilon", number_of(node, "epsilon", usual_epsilon)}}));
  return {&normal, nullptr, nullptr, sum};
}

/// A normalization that the opset lacks.
Results newer_norm(Decomposition& out, const char* op_type) {
  const Node& node = out.node();
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  return {&out.add_own(op_type, inputs, out.attributes_but({}))};
}

Results decompose(Node& node) {
  Decomposition out(node);
  const std::string_view type = node.op_type();
  if (node.domain().empty()) {
    if (type == "SimplifiedLayerNormalization") return newer_norm(out, "RMSNormalization");
    if (type == "LayerNormalization" && out.opset() < opset_of("LayerNormalization"))
      return newer_norm(out, "LayerNormalization");
    return {};
  }
  if (node.domain() != contrib_domain) return {};
  if (is_contrib_quantized(node)) return decompose_quantized(out);
  if (type == "FusedConv") return fused_conv(out);
  if (type == "FusedGemm") return fused_gemm(out);
  if (type == "FusedMatMul") return fused_matmul(out);
  if (type == "Gelu" || type == "BiasGelu") return gelu(out, "none");
  if (type == "FastGelu") return gelu(out, "tanh");
  if (type == "QuickGelu") return quick_gelu(out);
  if (type == "SkipLayerNormalization") return normalized_sum(out, "LayerNormalization", 4);
  if (type == "SkipSimplifiedLayerNormalization") return normalized_sum(out, "RMSNormalization", 3);
  return {};
}

/// Whether it has all required inputs, and no outputs that the decomposition does not produce.
bool has_usual_operands(const Node& node) {
  if (is_contrib_quantized(node)) return has_output(node, 0) && node.output_count() == 1;
  const std::string_view type = node.op_type();
  const bool is_single = type == "Gelu" || type == "FastGelu" || type == "QuickGelu";
  const bool is_sum = type.starts_with("Skip");
  const std::int64_t count = is_single ? 1 : is_sum ? 3 : 2;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!has_input(node, i)) return false;
  }
  for (std::int64_t i = 1; i < node.output_count(); ++i) {
    const bool is_made = is_sum && i == sum_output;
    if (node.output(i) != nullptr && !is_made) return false;
  }
  return has_output(node, 0);
}

/// Makes the node that produces `made` produce `output` instead, which has no producer.
void rename_result(Value& made, Value& output) {
  Node& node = *made.producer();
  Graph& graph = node.graph();
  std::vector<Value*> inputs;
  std::vector<Value*> outer;
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    inputs.push_back(node.input(i));
    outer.push_back(node.input(i) != nullptr ? node.input(i)->captured() : nullptr);
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i)
    outputs.push_back(node.output(i) == &made ? &output : node.output(i));
  std::vector<Attribute> attributes = copy_attributes(node);
  const std::string op_type(node.op_type());
  const std::string domain(node.domain());
  const std::string name(node.name());
  Node* const behind = node.next();
  graph.remove_node(node);
  // A capture disappears with its last use.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (outer[i] != nullptr) inputs[i] = &graph.capture(*outer[i]);
  }
  Node& again = graph.add_node(op_type, domain, inputs, outputs, name, behind);
  for (Attribute& each : attributes) again.set_attribute(std::move(each));
  graph.replace_uses(made, output);
  graph.remove_value(made);
}

/// Removes `node`; `results` take over its outputs and their names.
void give_outputs(Node& node, const Results& results) {
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
  node.graph().remove_node(node);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] != nullptr) rename_result(*results[i], *outputs[i]);
  }
}

}  // namespace

void decompose_contrib_operators(Model& model) {
  for (Graph* graph : graphs_in(*model.graph)) {
    Node* next = nullptr;
    for (Node* node = graph->first_node(); node != nullptr; node = next) {
      next = node->next();
      if (!has_usual_operands(*node)) continue;
      Results results = decompose(*node);
      if (results.empty()) continue;
      results.resize(static_cast<std::size_t>(node->output_count()), nullptr);
      give_outputs(*node, results);
    }
  }
}

}  // namespace ortool
