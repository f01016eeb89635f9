// Matrices: an operand of a product as a stack of matrices of one size.
#pragma once

#include <vector>

#include "providers/cuda/plan/device_plan_builder.hpp"

namespace ortool::cuda {

/// A matrix operand: rows and columns as multiplied, with axes before them.
struct Matrices {
  DeviceTensor tensor;
  std::vector<std::int64_t> batch;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  bool is_transposed = false;

  std::int64_t count() const {
    std::int64_t product = 1;
    for (const std::int64_t size : batch) product *= size;
    return product;
  }
};

/// A vector is a row of the first operand, a column of the second one.
Matrices matrices_of(DeviceTensor tensor, bool is_transposed, bool is_first);

/// Makes both operands one stack of matrices each; returns the number of products.
std::int64_t align_batches(DevicePlanBuilder& builder, Matrices& a, Matrices& b);

}  // namespace ortool::cuda
