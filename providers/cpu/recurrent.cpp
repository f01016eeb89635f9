// Kernel rows of LSTM, GRU and RNN; constant weights are packed once.
#include "kernels/cpu/recurrent.hpp"

#include <array>
#include <memory>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/rnn/gru.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/ops/rnn/rnn.hpp"
#include "libcore/runtime/workspace_layout.hpp"
#include "providers/cpu/accepts.hpp"
#include "providers/cpu/float_constant.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/half_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"
#include "providers/cpu/level_rows.hpp"

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

void fill_layer_form(const RecurrentLayer& op, RecurrentLayerForm& form) {
  form.directions = op.directions();
  form.is_reverse = op.direction == RecurrentLayer::Direction::reverse;
  form.batch_first = op.batch_first;
  if (op.clip) form.clip = *op.clip;
  ORTOOL_CHECK(op.activations.size() <= form.functions.size());
  for (std::size_t i = 0; i < op.activations.size(); ++i)
    form.functions[i] = gate_function(op.activations[i]);
}

RecurrentLayerForm form_of(const LSTM& op) {
  RecurrentLayerForm form;
  form.cell = RecurrentCell::lstm;
  form.couples_gates = op.couples_gates;
  fill_layer_form(op, form);
  return form;
}

RecurrentLayerForm form_of(const GRU& op) {
  RecurrentLayerForm form;
  form.cell = RecurrentCell::gru;
  form.linear_before_reset = op.linear_before_reset;
  fill_layer_form(op, form);
  return form;
}

RecurrentLayerForm form_of(const RNN& op) {
  RecurrentLayerForm form;
  fill_layer_form(op, form);
  return form;
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

/// What is decided once a node.
struct CompiledLayer {
  RecurrentLayerForm form;
  Isa isa = Isa::baseline;
  AlignedBuffer weights;
  bool has_weights = false;
};

template <typename T>
PreparedPtr prepare_layer(const std::shared_ptr<const CompiledLayer>& layer,
                          const PrepareContext& context) {
  const Shape& x = context.inputs[0].shape;
  const RecurrentLayerForm& form = layer->form;
  RecurrentSizes sizes;
  sizes.sequence = x[form.batch_first ? 1 : 0];
  sizes.batch = x[form.batch_first ? 0 : 1];
  sizes.input = x[2];
  sizes.hidden = context.inputs[2].shape[2];
  const std::int64_t steps = multiply_sizes(sizes.sequence, sizes.batch);
  multiply_sizes(multiply_sizes(steps + sizes.batch, sizes.hidden), 2 * form.gates());
  WorkspaceLayout layout;
  layout.add(recurrent_workspace_bytes<T>(form, sizes, layer->isa));
  std::int64_t packed_at = 0;
  if (!layer->has_weights) {
    packed_at = layout.add(
        bytes_of(DataTypeOf<T>::value,
                 packed_recurrent_elements<T>(form, sizes.input, sizes.hidden, layer->isa)));
  }
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    RecurrentOperands<T> operands;
    operands.x = run.input<T>(0);
    operands.bias = run.input<T>(3);
    operands.lengths = run.input<std::int32_t>(4);
    operands.initial_h = run.input<T>(5);
    operands.y = run.output<T>(0);
    operands.y_h = run.output<T>(1);
    if (form.cell == RecurrentCell::lstm) {
      operands.initial_c = run.input<T>(6);
      operands.peepholes = run.input<T>(7);
      operands.y_c = run.output<T>(2);
    }
    check_lengths(operands.lengths, sizes);
    operands.weights = layer->weights.template as<T>();
    if (!layer->has_weights) {
      T* packed = reinterpret_cast<T*>(run.workspace() + packed_at);
      pack_recurrent(form, sizes.input, sizes.hidden, run.input<T>(1), run.input<T>(2), layer->isa,
                     packed, run.workers());
      operands.weights = packed;
    }
    recurrent_layer(form, sizes, operands, layer->isa, run.workspace(), run.workers());
  });
}

std::optional<Tensor> weight_constant(const NodeView& view, std::int64_t input, MemoryCap* cap) {
  if (view.input_type(0) != DataType::float64) return float_constant(view.node().input(input), cap);
  const Tensor* constant = view.constant(input);
  return constant != nullptr ? std::optional(constant->aligned()) : std::nullopt;
}

template <typename T>
KernelPtr make_layer(const NodeView& view, const KernelRow& row, const CompileContext& context,
                     const RecurrentLayerForm& form) {
  auto layer = std::make_shared<CompiledLayer>();
  layer->form = form;
  layer->isa = row.isa;
  const std::optional<Tensor> w = weight_constant(view, 1, context.cap);
  const std::optional<Tensor> r = weight_constant(view, 2, context.cap);
  Compilation compilation;
  if (w && r) {
    const std::int64_t input = w->shape()[2];
    const std::int64_t hidden = r->shape()[2];
    layer->weights = AlignedBuffer(
        bytes_of(DataTypeOf<T>::value, packed_recurrent_elements<T>(form, input, hidden, row.isa)),
        context.cap, "packed weights");
    pack_recurrent(form, input, hidden, w->data<T>().data(), r->data<T>().data(), row.isa,
                   layer->weights.as<T>(), context.workers);
    layer->has_weights = true;
    compilation = {.packed = {1, 2}, .packed_bytes = layer->weights.size_bytes()};
  }
  return make_kernel(
      row.name,
      [layer = std::shared_ptr<const CompiledLayer>(std::move(layer))](
          const PrepareContext& prepare) { return prepare_layer<T>(layer, prepare); },
      compilation);
}

template <typename Op>
KernelPtr compile_recurrent(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  const RecurrentLayerForm form = form_of(read_op<Op>(view.node()));
  if (view.input_type(0) == DataType::float64) return make_layer<double>(view, row, context, form);
  KernelPtr kernel = make_layer<float>(view, row, context, form);
  return accepts_halves(view) ? make_half_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto recurrent_rows =
    join_rows(level_rows<"gru">("GRU", float_type_names, accepts_floats, compile_recurrent<GRU>),
              level_rows<"lstm">("LSTM", float_type_names, accepts_floats, compile_recurrent<LSTM>),
              level_rows<"rnn">("RNN", float_type_names, accepts_floats, compile_recurrent<RNN>));

}  // namespace

std::span<const KernelRow> recurrent_kernels() {
  return recurrent_rows;
}

}  // namespace ortool::cpu
