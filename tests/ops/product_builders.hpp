// Builders of random product cases, and their shared helpers.
#pragma once

#include <string>
#include <vector>

#include "tests/ops/product_cases.hpp"

namespace ortool::test {

using Sizes = std::vector<std::int64_t>;

/// A case with one output y in the newest opset.
OpCase case_of(std::string nodes, std::vector<CaseTensor> inputs);

/// `batch` followed by rows and columns.
Sizes joined(Sizes batch, std::int64_t rows, std::int64_t columns);

struct MatMulSizes {
  Sizes a;
  Sizes b;
};

/// Sizes of vectors, matrices and broadcast batches.
MatMulSizes matmul_sizes(ProductCases& random);

/// Sizes of a convolution over one to three axes.
struct WindowSizes {
  Sizes x;
  Sizes weights;
  std::int64_t groups = 1;
  std::string attributes;
};

WindowSizes window_sizes(ProductCases& random, bool is_transposed);

// Float products.
OpCase matmul(ProductCases& random);
OpCase gemm(ProductCases& random);
OpCase conv(ProductCases& random);
OpCase conv_transpose(ProductCases& random);
OpCase deform_conv(ProductCases& random);
OpCase einsum(ProductCases& random);
OpCase recurrent(ProductCases& random);
OpCase attention(ProductCases& random);
OpCase causal_conv(ProductCases& random);
OpCase fused_matmul(ProductCases& random);

// Int8 and weight-only products.
OpCase matmul_integer(ProductCases& random);
OpCase qlinear_matmul(ProductCases& random);
OpCase conv_integer(ProductCases& random);
OpCase qlinear_conv(ProductCases& random);
OpCase matmul_n_bits(ProductCases& random);
OpCase dynamic_lstm(ProductCases& random);

}  // namespace ortool::test
