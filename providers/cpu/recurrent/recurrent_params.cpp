// Recurrent layer parameters: converts attributes to the kernels' parameters, and checks lengths in
// each run.
#include "providers/cpu/recurrent/recurrent_params.hpp"

#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

GateFunction gate_function(const RecurrentActivation& activation) {
  using Function = RecurrentActivation::Function;
  const UnaryParameters numbers = {activation.alpha, activation.beta};
  switch (activation.function) {
    case Function::affine:
      return {UnaryOp::affine, numbers};
    case Function::elu:
      return {UnaryOp::elu, numbers};
    case Function::hard_sigmoid:
      return {UnaryOp::hard_sigmoid, numbers};
    case Function::leaky_relu:
      return {UnaryOp::leaky_relu, numbers};
    case Function::relu:
      return {UnaryOp::relu, numbers};
    case Function::scaled_tanh:
      return {UnaryOp::scaled_tanh, numbers};
    case Function::sigmoid:
      return {UnaryOp::sigmoid, numbers};
    case Function::softplus:
      return {UnaryOp::softplus, numbers};
    case Function::softsign:
      return {UnaryOp::softsign, numbers};
    case Function::thresholded_relu:
      return {UnaryOp::thresholded_relu, numbers};
    default:
      return {UnaryOp::tanh, numbers};
  }
}

void fill_layer_params(const RecurrentLayer& op, RecurrentLayerParams& params) {
  params.directions = op.directions();
  params.is_reverse = op.direction == RecurrentLayer::Direction::reverse;
  params.batch_first = op.batch_first;
  if (op.clip) params.clip = *op.clip;
  ORTOOL_CHECK(op.activations.size() <= params.functions.size());
  for (std::size_t i = 0; i < op.activations.size(); ++i)
    params.functions[i] = gate_function(op.activations[i]);
}

/// Throws unless every length lies in [0, sequence].
void check_lengths(const std::int32_t* lengths, const RecurrentSizes& sizes) {
  if (lengths == nullptr) return;
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    if (lengths[b] >= 0 && lengths[b] <= sizes.sequence) continue;
    throw Error(ErrorCode::invalid,
                format("'sequence_lens' holds {} (expected 0 to {}, the steps of 'X')", lengths[b],
                       sizes.sequence));
  }
}

}  // namespace

RecurrentLayerParams form_of(const LSTM& op) {
  RecurrentLayerParams params;
  params.cell = RecurrentCell::lstm;
  params.couples_gates = op.couples_gates;
  fill_layer_params(op, params);
  return params;
}

RecurrentLayerParams form_of(const GRU& op) {
  RecurrentLayerParams params;
  params.cell = RecurrentCell::gru;
  params.linear_before_reset = op.linear_before_reset;
  fill_layer_params(op, params);
  return params;
}

RecurrentLayerParams form_of(const RNN& op) {
  RecurrentLayerParams params;
  fill_layer_params(op, params);
  return params;
}

RecurrentSizes recurrent_sizes(const RecurrentLayerParams& params, const Shape& x,
                               std::int64_t hidden) {
  RecurrentSizes sizes;
  sizes.sequence = x[params.batch_first ? 1 : 0];
  sizes.batch = x[params.batch_first ? 0 : 1];
  sizes.input = x[2];
  sizes.hidden = hidden;
  const std::int64_t steps = multiply_sizes(sizes.sequence, sizes.batch);
  multiply_sizes(multiply_sizes(steps + sizes.batch, sizes.hidden), 2 * params.gates());
  return sizes;
}

template <typename T>
RecurrentOperands<T> recurrent_operands(const RecurrentLayerParams& params,
                                        const RecurrentSizes& sizes, const RunContext& run) {
  RecurrentOperands<T> operands;
  operands.x = run.input<T>(0);
  operands.bias = run.input<T>(3);
  operands.lengths = run.input<std::int32_t>(4);
  operands.initial_h = run.input<T>(5);
  operands.y = run.output<T>(0);
  operands.y_h = run.output<T>(1);
  if (params.cell == RecurrentCell::lstm) {
    operands.initial_c = run.input<T>(6);
    operands.peepholes = run.input<T>(7);
    operands.y_c = run.output<T>(2);
  }
  check_lengths(operands.lengths, sizes);
  return operands;
}

template RecurrentOperands<float> recurrent_operands(const RecurrentLayerParams&,
                                                     const RecurrentSizes&, const RunContext&);
template RecurrentOperands<double> recurrent_operands(const RecurrentLayerParams&,
                                                      const RecurrentSizes&, const RunContext&);

}  // namespace ortool::cpu
