// Unfused epilogue: adds the residual and applies the activation after the product, if shapes turn
// out to differ.
#pragma once

#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/elementwise/unary.hpp"
#include "libcore/base/activation.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {

/// out = activate(result + residual), with broadcasting.
class UnfusedResidual {
 public:
  UnfusedResidual(const Shape& result, const Shape& residual, Activation activation, float low,
                  float high, Isa isa);

  void run(const float* result, const float* residual, float* out, Workers& workers) const;

 private:
  BroadcastPlan plan_;
  bool has_activation_ = false;
  UnaryOp activation_ = UnaryOp::relu;
  UnaryParameters parameters_;
  Isa isa_;
};

}  // namespace ortool::cpu
