// Operator list of the xnnpack module: ONNX's operators that XNNPACK's subgraphs have.
#include "providers/xnnpack/operator_list.hpp"

#include <array>

namespace ortool::xnnpack {

const KernelRow* find_row(const NodeReader& node) {
  static constexpr std::array<KernelRow, 34> list = {{
      {"Abs", refuses_unary, define_unary},
      {"Add", refuses_binary, define_binary},
      {"AveragePool", refuses_pool, define_pool},
      {"Ceil", refuses_unary, define_unary},
      {"Clip", refuses_unary, define_unary},
      {"Conv", refuses_conv, define_conv},
      {"DepthToSpace", refuses_depth_to_space, define_depth_to_space},
      {"Div", refuses_binary, define_binary},
      {"Elu", refuses_unary, define_unary},
      {"Flatten", refuses_reshape, define_reshape},
      {"Floor", refuses_unary, define_unary},
      {"Gemm", refuses_product, define_product},
      {"GlobalAveragePool", refuses_global_pool, define_global_pool},
      {"HardSwish", refuses_unary, define_unary},
      {"LeakyRelu", refuses_unary, define_unary},
      {"MatMul", refuses_product, define_product},
      {"Max", refuses_binary, define_binary},
      {"MaxPool", refuses_pool, define_pool},
      {"Min", refuses_binary, define_binary},
      {"Mul", refuses_binary, define_binary},
      {"Neg", refuses_unary, define_unary},
      {"PRelu", refuses_prelu, define_prelu},
      {"Pad", refuses_pad, define_pad},
      {"ReduceMean", refuses_global_pool, define_global_pool},
      {"Relu", refuses_unary, define_unary},
      {"Reshape", refuses_reshape, define_reshape},
      {"Resize", refuses_resize, define_resize},
      {"Round", refuses_unary, define_unary},
      {"Sigmoid", refuses_unary, define_unary},
      {"Softmax", refuses_softmax, define_softmax},
      {"Sqrt", refuses_unary, define_unary},
      {"Squeeze", refuses_reshape, define_reshape},
      {"Sub", refuses_binary, define_binary},
      {"Unsqueeze", refuses_reshape, define_reshape},
  }};
  if (*node.node().domain != '\0') return nullptr;
  for (const KernelRow& row : list) {
    if (node.is(row.op_type)) return &row;
  }
  return nullptr;
}

}  // namespace ortool::xnnpack
