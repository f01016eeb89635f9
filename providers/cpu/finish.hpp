// A residual sum and activation done apart from the product, when shapes turn out to differ.
#pragma once

#include "kernels/cpu/binary.hpp"
#include "kernels/cpu/unary.hpp"
#include "libcore/tensor/shape.hpp"
#include "providers/cpu/product_followers.hpp"

namespace ortool::cpu {

/// out = activate(result + residual), broadcasting.
class Finish {
 public:
  Finish(const Shape& result, const Shape& residual, const ProductFollowers& followers, Isa isa);

  void run(const float* result, const float* residual, float* out, Workers& workers) const;

 private:
  BroadcastPlan plan_;
  bool has_activation_ = false;
  UnaryOp activation_ = UnaryOp::relu;
  UnaryParameters parameters_;
  Isa isa_;
};

}  // namespace ortool::cpu
