// Attributes and shape rule of the activation functions.
#include "libcore/ops/nn/activation.hpp"

#include "libcore/ops/value_rules.hpp"

namespace ortool {

void ElementwiseOp::infer(InferContext& context) const {
  context.set_output(0, context.element(0), context.shape(0));
}

// ONNX defines Range as a function whose Loop computes its trip count with Relu.
void Relu::infer(InferContext& context) const {
  ElementwiseOp::infer(context);
  change_elements(context, context.element(0), [&](const KnownElement& element) {
    return combine(ElementOp::maximum, element, Dimension(0), context.element(0));
  });
}

void LeakyRelu::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 0.01F);
}

void Elu::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.0F);
}

void Selu::read(AttributeReader& attributes, int version) {
  alpha = attributes.number("alpha", version < 6 ? 1.6732F : 1.67326319F);
  gamma = attributes.number("gamma", version < 6 ? 1.0507F : 1.05070102F);
}

void Celu::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.0F);
}

void ThresholdedRelu::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.0F);
}

void HardSigmoid::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 0.2F);
  beta = attributes.number("beta", 0.5F);
}

void Shrink::read(AttributeReader& attributes, int) {
  bias = attributes.number("bias", 0.0F);
  lambd = attributes.number("lambd", 0.5F);
}

void Gelu::read(AttributeReader& attributes, int) {
  is_approximate = attributes.choice("approximate", {"none", "tanh"}, 0) == 1;
}

void Swish::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.0F);
}

}  // namespace ortool
