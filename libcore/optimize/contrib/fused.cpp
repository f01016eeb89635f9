// Decompositions of ONNX Runtime's fused operators: activations after convolutions and products,
// transposed products, Gelu and its variants, and normalized sums.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/fused/fused_activation.hpp"
#include "libcore/ops/contrib/fused/fused_conv.hpp"
#include "libcore/ops/contrib/fused/fused_gelu.hpp"
#include "libcore/ops/contrib/fused/fused_gemm.hpp"
#include "libcore/ops/contrib/fused/fused_matmul.hpp"
#include "libcore/ops/contrib/fused/skip_normalization.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Results fused_conv(Decomposition& out) {
  const auto op = read_op<FusedConv>(out.node());
  Value* sum = &out.add("Conv", {out.input(0), out.input(1), out.input(2)},
                        out.attributes_but({"activation", "activation_params"}));
  if (out.input(3) != nullptr) sum = &out.add("Add", {sum, out.input(3)});
  return {&activated(out, *sum, op.activation)};
}

Results fused_gemm(Decomposition& out) {
  const auto op = read_op<FusedGemm>(out.node());
  Value& product = out.add("Gemm", {out.input(0), out.input(1), out.input(2)},
                           out.attributes_but({"activation", "activation_alpha", "activation_beta",
                                               "activation_gamma"}));
  return {&activated(out, product, op.activation)};
}

/// The operand in the order of axes in which it is multiplied; its rank is known.
Value& operand(Decomposition& out, std::int64_t index, bool transposes, bool moves_batch) {
  return transpose(out, *out.input(index),
                   FusedMatMul::axes(out.rank(index), transposes, moves_batch));
}

/// Null if the product has no form in ONNX's operators.
Value* matmul(Decomposition& out, const FusedMatMul& op) {
  const bool moves_a = op.moves_batch_a && out.rank(0) != 2;
  const bool moves_b = op.moves_batch_b && out.rank(1) != 2;
  Value* product = nullptr;
  if (!op.transpose_a && !op.transpose_b && !moves_a && !moves_b) {
    product = &out.add("MatMul", {out.input(0), out.input(1)});
  } else if (!moves_a && !moves_b && out.rank(0) != 1 && out.rank(1) != 1 &&
             out.opset() >= opset_of("Einsum")) {
    // A rule turns it into a MatMul once ranks are known.
    const std::string formula =
        format("...{},...{}->...ik", op.transpose_a ? "ji" : "ij", op.transpose_b ? "kj" : "jk");
    product =
        &out.add("Einsum", {out.input(0), out.input(1)}, plain_attributes({{"equation", formula}}));
  } else {
    if (out.rank(0) < 0 || out.rank(1) < 0) return nullptr;
    Value* a = out.input(0);
    Value* b = out.input(1);
    if (out.rank(0) > 1 && (op.transpose_a || moves_a))
      a = &operand(out, 0, op.transpose_a, moves_a);
    if (out.rank(1) > 1 && (op.transpose_b || moves_b))
      b = &operand(out, 1, op.transpose_b, moves_b);
    product = &out.add("MatMul", {a, b});
  }
  if (op.alpha == 1) return product;
  return &out.add("Mul", {product, &out.number(static_cast<double>(op.alpha))});
}

template <typename Op>
Results fused_matmul(Decomposition& out) {
  Value* product = matmul(out, read_op<Op>(out.node()));
  if (product == nullptr) return {};
  return {product};
}

Results fused_matmul_activation(Decomposition& out) {
  const auto op = read_op<FusedMatMulActivation>(out.node());
  Value* product = matmul(out, op);
  if (product == nullptr) return {};
  return {&activated(out, *product, op.activation)};
}

/// Gelu of x, or of x plus a bias.
Results gelu(Decomposition& out, const char* approximation) {
  Value* x = out.input(0);
  if (out.input(1) != nullptr) x = &out.add("Add", {x, out.input(1)});
  return {
      &out.add_own("Gelu", {x}, plain_attributes({{"approximate", std::string(approximation)}}))};
}

Results exact_gelu(Decomposition& out) {
  return gelu(out, "none");
}

Results fast_gelu(Decomposition& out) {
  return gelu(out, "tanh");
}

Results quick_gelu(Decomposition& out) {
  const auto op = read_op<QuickGelu>(out.node());
  return {&out.add_own("Swish", {out.input(0)}, plain_attributes({{"alpha", op.alpha}}))};
}

/// The inputs' sum; a bias is the input of that index.
Value& skip_sum(Decomposition& out, std::int64_t bias) {
  Value* sum = &out.add("Add", {out.input(0), out.input(1)});
  if (out.input(bias) != nullptr) sum = &out.add("Add", {sum, out.input(bias)});
  return *sum;
}

Results skip_layer_norm(Decomposition& out) {
  const auto op = read_op<ContribSkipLayerNormalization>(out.node());
  Value& sum = skip_sum(out, 4);
  const std::size_t outputs = out.has_output(1) || out.has_output(2) ? 3 : 1;
  Results made = out.add_many_own("LayerNormalization", {&sum, out.input(2), out.input(3)}, outputs,
                                  plain_attributes({{"epsilon", op.epsilon}}));
  made.resize(3, nullptr);
  made.push_back(&sum);
  return made;
}

Results skip_rms_norm(Decomposition& out) {
  if (out.has_output(1) || out.has_output(2)) return {};
  const auto op = read_op<SkipSimplifiedLayerNormalization>(out.node());
  Value& sum = skip_sum(out, 3);
  Value& normal = out.add_own("RMSNormalization", {&sum, out.input(2)},
                              plain_attributes({{"epsilon", op.epsilon}}));
  return {&normal, nullptr, nullptr, &sum};
}

/// A normalization in ONNX's domain that the opset lacks.
Results newer_norm(Decomposition& out, const char* op_type) {
  return {&out.add_own(op_type, out.inputs(), out.attributes_but({}))};
}

Results simplified_layer_norm(Decomposition& out) {
  return newer_norm(out, "RMSNormalization");
}

Results early_layer_norm(Decomposition& out) {
  if (out.opset() >= opset_of("LayerNormalization")) return {};
  return newer_norm(out, "LayerNormalization");
}

}  // namespace

std::span<const DecompositionRow> fused_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"BiasGelu", exact_gelu},
      {"FastGelu", fast_gelu},
      {"FusedConv", fused_conv, 1, contrib_domain, true},
      {"FusedGemm", fused_gemm, 1, contrib_domain, true},
      {"FusedMatMul", fused_matmul<FusedMatMul>, 1, contrib_domain, true},
      {"FusedMatMulActivation", fused_matmul_activation, 1, contrib_domain, true},
      {"Gelu", exact_gelu},
      {"LayerNormalization", early_layer_norm, 1, ""},
      {"QuickGelu", quick_gelu},
      {"SimplifiedLayerNormalization", simplified_layer_norm, 1, ""},
      {"SkipLayerNormalization", skip_layer_norm, 4},
      {"SkipSimplifiedLayerNormalization", skip_rms_norm, 4},
      {"TransposeMatMul", fused_matmul<TransposeMatMul>, 1, contrib_domain, true},
  };
  return rows;
}

}  // namespace ortool
