// Recurrent layers: LSTM, GRU and RNN. The inputs of all steps are one product.
#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/rnn/gru.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/ops/rnn/rnn.hpp"
#include "providers/cuda/kernels/recurrent_params.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

GateFunction gate_function(const RecurrentActivation& activation) {
  using Function = RecurrentActivation::Function;
  GateFunction function = {.a = activation.alpha, .b = activation.beta};
  switch (activation.function) {
    case Function::affine:
      function.op = ElementOp::scale_shift;
      break;
    case Function::elu:
      function.op = ElementOp::elu;
      break;
    case Function::hard_sigmoid:
      function.op = ElementOp::hard_sigmoid;
      break;
    case Function::leaky_relu:
      function.op = ElementOp::leaky_relu;
      break;
    case Function::relu:
      function.op = ElementOp::relu;
      break;
    case Function::scaled_tanh:
      function.output_factor = activation.alpha;
      function.input_factor = activation.beta;
      break;
    case Function::sigmoid:
      function.op = ElementOp::sigmoid;
      break;
    case Function::softplus:
      function.op = ElementOp::softplus;
      break;
    case Function::softsign:
      function.op = ElementOp::softsign;
      break;
    case Function::thresholded_relu:
      function.op = ElementOp::thresholded_relu;
      break;
    case Function::tanh:
      break;
  }
  return function;
}

RecurrentParams layer_params(const RecurrentLayer& op, RecurrentCell cell, std::int32_t gates) {
  RecurrentParams params = {};
  params.cell = cell;
  params.gates = gates;
  params.directions = static_cast<std::int32_t>(op.directions());
  params.is_reverse = op.direction == RecurrentLayer::Direction::reverse ? 1 : 0;
  params.batch_first = op.batch_first ? 1 : 0;
  params.has_clip = op.clip ? 1 : 0;
  params.clip = op.clip.value_or(0);
  ORTOOL_CHECK(op.activations.size() <= std::size(params.functions));
  std::transform(op.activations.begin(), op.activations.end(), params.functions, gate_function);
  return params;
}

RecurrentParams params_of(const LSTM& op) {
  RecurrentParams params = layer_params(op, RecurrentCell::lstm, 4);
  params.couples_gates = op.couples_gates ? 1 : 0;
  return params;
}
RecurrentParams params_of(const GRU& op) {
  RecurrentParams params = layer_params(op, RecurrentCell::gru, 3);
  params.linear_before_reset = op.linear_before_reset ? 1 : 0;
  return params;
}
RecurrentParams params_of(const RNN& op) {
  return layer_params(op, RecurrentCell::rnn, 1);
}

/// Emits the commands of one layer.
class LayerEmitter {
 public:
  LayerEmitter(DevicePlanBuilder& builder, const Node& node, const RecurrentParams& params)
      : builder_(builder),
        params_(params),
        x_(builder.input(node, 0)),
        w_(builder.input(node, 1)),
        r_(builder.input(node, 2)) {
    params_.type = x_.element();
    params_.sequence = x_.shape[params.batch_first != 0 ? 1 : 0];
    params_.batch = x_.shape[params.batch_first != 0 ? 0 : 1];
    params_.hidden = r_.shape[2];
    states_ = params_.directions * params_.batch * params_.hidden;
    columns_ = params_.gates * params_.hidden;
    set_operands(node);
  }

  void emit() {
    if (states_ == 0) return;
    if (params_.sequence == 0) {
      for (const FinalState& state : final_states_) emit_copy_of(state);
      return;
    }
    multiply_inputs();
    if (params_.hidden <= max_step_state && builder_.constants().settings().has_recurrent_kernel) {
      emit_steps();
    } else {
      emit_step_by_step();
    }
  }

 private:
  struct FinalState {
    DeviceTensor output;
    DeviceTensor initial;
  };

  /// Without steps.
  void emit_copy_of(const FinalState& state) {
    const std::int64_t bytes = bytes_of(state.output.type, states_);
    if (state.initial.is_given()) {
      builder_.command_list().copy(state.output.memory, state.initial.memory, bytes);
    } else {
      builder_.command_list().clear(state.output.memory, bytes);
    }
  }
  void set_operands(const Node& node) {
    const auto given = [&](std::int64_t index) { return builder_.input(node, index).pointer(); };
    const bool is_lstm = params_.cell == RecurrentCell::lstm;
    params_.bias = given(3);
    params_.lengths = static_cast<const std::int32_t*>(given(4));
    params_.initial_h = given(5);
    if (is_lstm) params_.initial_c = given(6);
    if (is_lstm) params_.peepholes = given(7);
    const auto result = [&](std::int64_t index) -> void* {
      if (!is_used(node, index)) return nullptr;
      const DeviceTensor output = builder_.make_output(node, index);
      if (index > 0) final_states_.push_back({output, builder_.input(node, 4 + index)});
      return output.pointer();
    };
    params_.y = result(0);
    params_.y_h = result(1);
    if (is_lstm) params_.y_c = result(2);
    if (params_.lengths == nullptr) return;
    params_.status = static_cast<std::int32_t*>(builder_.status());
    params_.status_value = builder_.status_of(node);
  }

  /// A product for each direction: rows x depth by columns x depth.
  ProductDesc product_desc(std::int64_t rows, std::int64_t columns, std::int64_t depth) const {
    ProductDesc desc;
    desc.type = x_.element();
    desc.m = rows;
    desc.n = columns;
    desc.k = depth;
    desc.batch = params_.directions;
    desc.transpose_b = true;
    desc.a_stride = rows * depth;
    desc.b_stride = columns_ * depth;
    desc.uses_tf32 = builder_.constants().precision() == DevicePrecision::tf32;
    return desc;
  }

  void multiply_inputs() {
    const std::int64_t rows = params_.sequence * params_.batch;
    const std::int64_t depth = x_.shape[2];
    const DeviceTensor inputs = builder_.make(x_.type, Shape{params_.directions, rows, columns_});
    params_.inputs = inputs.pointer();
    if (depth == 0) {
      builder_.command_list().clear(inputs.memory, bytes_of(inputs.type, inputs.count()));
      return;
    }
    ProductDesc desc = product_desc(rows, columns_, depth);
    desc.a_stride = 0;
    builder_.command_list().multiply(
        builder_.device().make_product(desc),
        {x_.pointer(), w_.pointer(), nullptr, nullptr, inputs.pointer(), nullptr});
  }

  void launch(KernelId kernel, std::int64_t blocks, int threads) {
    RecurrentParams& p = params_;
    builder_.command_list().launch(
        kernel, blocks, threads, p,
        {&p.inputs, &p.bias, &p.lengths, &p.initial_h, &p.initial_c, &p.peepholes, &p.y, &p.y_h,
         &p.y_c, &p.factors, &p.products, &p.late_products, &p.reset_h, &p.h, &p.c, &p.status});
  }
  void launch_states(KernelId f32, KernelId any, KernelId f64) {
    constexpr int threads = 256;
    constexpr std::int64_t most_blocks = 4096;
    launch(kernel_for(x_.type, f32, any, any, f64),
           std::min((states_ + threads - 1) / threads, most_blocks), threads);
  }

  void emit_steps() {
    const std::int64_t hidden = params_.hidden;
    const DeviceTensor factors =
        builder_.make(r_.type, Shape{params_.directions, hidden, columns_});
    emit_copy(builder_, r_, 0, factors.shape, {columns_ * hidden, 1, hidden}, factors, 0,
              strides_of(factors.shape));
    params_.factors = factors.pointer();
    constexpr std::int64_t warp = 32;
    constexpr std::int64_t most_blocks = 65535;
    launch(kernel_for(x_.type, KernelId::recurrent_steps_f32, KernelId::recurrent_steps_short,
                      KernelId::recurrent_steps_short, KernelId::recurrent_steps_f64),
           std::min(params_.directions * params_.batch, most_blocks),
           static_cast<int>((hidden + warp - 1) / warp * warp));
  }

  /// R of a GRU's last gate, where products may begin.
  struct LateFactors {
    EncodedPointer memory;
    std::int64_t stride = 0;  ///< elements between directions
  };
  LateFactors late_factors() {
    constexpr std::int64_t alignment = 16;
    const std::int64_t hidden = params_.hidden;
    const std::int64_t before = 2 * hidden * hidden;
    if (bytes_of(r_.type, before) % alignment == 0)
      return {r_.memory.plus(bytes_of(r_.type, before)), columns_ * hidden};
    const DeviceTensor copy = builder_.make(r_.type, Shape{params_.directions, hidden, hidden});
    emit_copy(builder_, r_, before, copy.shape, {columns_ * hidden, hidden, 1}, copy, 0,
              strides_of(copy.shape));
    return {copy.memory, hidden * hidden};
  }

  void emit_step_by_step() {
    const Shape states = {params_.directions, params_.batch, params_.hidden};
    const bool resets_first =
        params_.cell == RecurrentCell::gru && params_.linear_before_reset == 0;
    const std::int64_t product_columns = columns_ - (resets_first ? params_.hidden : 0);
    const DeviceTensor h = builder_.make(x_.type, states);
    const DeviceTensor products =
        builder_.make(x_.type, Shape{params_.directions, params_.batch, product_columns});
    params_.h = h.pointer();
    params_.products = products.pointer();
    if (params_.cell == RecurrentCell::lstm) {
      const DataType exact = x_.type == DataType::float64 ? DataType::float64 : DataType::float32;
      params_.c = builder_.make(exact, states).pointer();
    }
    DeviceTensor reset_h;
    DeviceTensor late;
    LateFactors factors;
    PrimitivePtr late_product;
    if (resets_first) {
      reset_h = builder_.make(x_.type, states);
      late = builder_.make(x_.type, states);
      factors = late_factors();
      ProductDesc desc = product_desc(params_.batch, params_.hidden, params_.hidden);
      desc.b_stride = factors.stride;
      late_product = builder_.device().make_product(desc);
    }
    const PrimitivePtr product = builder_.device().make_product(
        product_desc(params_.batch, product_columns, params_.hidden));
    launch_states(KernelId::recurrent_start_f32, KernelId::recurrent_start_short,
                  KernelId::recurrent_start_f64);
    for (params_.step = 0; params_.step < params_.sequence; ++params_.step) {
      builder_.command_list().multiply(
          product, {h.pointer(), r_.pointer(), nullptr, nullptr, products.pointer(), nullptr});
      if (resets_first) {
        params_.reset_h = reset_h.pointer();
        launch_cell();
        params_.reset_h = nullptr;
        builder_.command_list().multiply(
            late_product, {reset_h.pointer(), factors.memory.as_pointer(), nullptr, nullptr,
                           late.pointer(), nullptr});
        params_.late_products = late.pointer();
      }
      launch_cell();
    }
  }
  void launch_cell() {
    launch_states(KernelId::recurrent_cell_f32, KernelId::recurrent_cell_short,
                  KernelId::recurrent_cell_f64);
  }

  DevicePlanBuilder& builder_;
  RecurrentParams params_;
  DeviceTensor x_;
  DeviceTensor w_;
  DeviceTensor r_;
  std::vector<FinalState> final_states_;
  std::int64_t states_ = 0;   ///< elements of a state
  std::int64_t columns_ = 0;  ///< of all gates
};

template <typename Op>
std::size_t emit_recurrent(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  LayerEmitter(builder, node, params_of(read_op<Op>(node))).emit();
  return 0;
}

std::string refuses_layer(const Node& node) {
  constexpr std::int64_t lengths = 4;
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (i != lengths && node.input(i) != nullptr &&
        type_of(node.input(i)) != type_of(node.input(0)))
      return "operands differ in type";
  }
  return {};
}

constexpr std::array<OperatorRow, 3> rows = {{
    {"", "GRU", OperatorTypes::reals, 0, refuses_layer, emit_recurrent<GRU>},
    {"", "LSTM", OperatorTypes::reals, 0, refuses_layer, emit_recurrent<LSTM>},
    {"", "RNN", OperatorTypes::reals, 0, refuses_layer, emit_recurrent<RNN>},
}};

}  // namespace

std::span<const OperatorRow> recurrent_rows() {
  return rows;
}

}  // namespace ortool::cuda
