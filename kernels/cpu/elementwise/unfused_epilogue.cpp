// Unfused epilogue: activations in terms of the unary elementwise functions.
#include "kernels/cpu/elementwise/unfused_epilogue.hpp"

namespace ortool::cpu {

UnfusedResidual::UnfusedResidual(const Shape& result, const Shape& residual, Activation activation,
                                 float low, float high, Isa isa)
    : plan_(make_broadcast_plan(result.dimensions(), residual.dimensions())), isa_(isa) {
  has_activation_ = activation != Activation::none;
  switch (activation) {
    case Activation::leaky_relu:
      activation_ = UnaryOp::leaky_relu;
      parameters_ = {static_cast<double>(low), 0};
      break;
    case Activation::clip:
      activation_ = UnaryOp::clip;
      parameters_ = {static_cast<double>(low), static_cast<double>(high)};
      break;
    case Activation::hard_swish:
      activation_ = UnaryOp::hard_swish;
      break;
    default:
      break;
  }
}

void UnfusedResidual::run(const float* result, const float* residual, float* out,
                          Workers& workers) const {
  binary(BinaryOp::add, DataType::float32, result, residual, out, plan_, workers, isa_);
  if (has_activation_) unary(activation_, parameters_, out, out, plan_.count, workers, isa_);
}

}  // namespace ortool::cpu
