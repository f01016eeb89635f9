// Recurrent cells: vector loops for the default activations, scalar composition for others.
#include "kernels/cpu/recurrent/recurrent_cell.hpp"

#include <type_traits>

#include "kernels/cpu/recurrent/recurrent_reproducible.hpp"

namespace ortool::cpu {
namespace {

bool has_usual_functions(const RecurrentLayerParams& params, const GateFunction* functions) {
  if (params.clip || params.couples_gates || params.cell == RecurrentCell::rnn) return false;
  bool usual = functions[0].op == UnaryOp::sigmoid && functions[1].op == UnaryOp::tanh;
  if (params.cell == RecurrentCell::lstm) usual = usual && functions[2].op == UnaryOp::tanh;
  return usual;
}

}  // namespace

template <typename T>
CellSteps<T>::CellSteps(const RecurrentLayerParams& params, std::int64_t direction,
                        std::int64_t hidden, bool has_peepholes, Isa isa)
    : params_(params),
      functions_(params.functions.data() + direction * params.functions_each()),
      hidden_(hidden),
      isa_(isa),
      function_isa_(params.is_same_on_isas ? Isa::baseline : isa),
      is_usual_(std::is_same_v<T, float> && !has_peepholes &&
                has_usual_functions(params, functions_)) {}

template <typename T>
void CellSteps<T>::activate(int function, T* values, std::int64_t count) const {
  Workers alone;
  const GateFunction& chosen = functions_[function];
  unary(chosen.op, chosen.parameters, values, values, count, alone, function_isa_);
}

template <typename T>
void CellSteps<T>::clip_and_activate(int function, T* values, std::int64_t count) const {
  if (params_.clip) {
    Workers alone;
    const T high = static_cast<T>(*params_.clip);
    clip(values, values, count, -high, high, alone);
  }
  activate(function, values, count);
}

template <typename T>
RecurrentRow CellSteps<T>::float_row(const CellRow<T>& row) const {
  if constexpr (std::is_same_v<T, float>) {
    return {row.x, row.gates, row.h, row.c, row.reset, row.bias, hidden_};
  } else {
    return {};
  }
}

template <typename T>
void CellSteps<T>::rnn(const CellRow<T>& row) const {
  for (std::int64_t i = 0; i < hidden_; ++i) row.h[i] = row.x[i] + row.gates[i];
  clip_and_activate(0, row.h, hidden_);
}

template <typename T>
void CellSteps<T>::lstm(const CellRow<T>& row) const {
  if (is_usual_ && params_.is_same_on_isas) return reproducible_lstm(isa_)(float_row(row));
  if (is_usual_) return recurrent_functions(isa_).lstm(float_row(row));
  T* const input = row.gates;
  T* const output = input + hidden_;
  T* const forget = output + hidden_;
  T* const cell = forget + hidden_;
  for (std::int64_t i = 0; i < 4 * hidden_; ++i) input[i] += row.x[i];
  const auto peep = [&](T* gate, std::int64_t which) {
    if (row.peepholes == nullptr) return;
    const T* weights = row.peepholes + which * hidden_;
    for (std::int64_t i = 0; i < hidden_; ++i) gate[i] += weights[i] * row.c[i];
  };
  peep(input, 0);
  clip_and_activate(0, input, hidden_);
  if (params_.couples_gates) {
    for (std::int64_t i = 0; i < hidden_; ++i) forget[i] = T{1} - input[i];
  } else {
    peep(forget, 2);
    clip_and_activate(0, forget, hidden_);
  }
  clip_and_activate(1, cell, hidden_);
  for (std::int64_t i = 0; i < hidden_; ++i) row.c[i] = forget[i] * row.c[i] + input[i] * cell[i];
  peep(output, 1);
  clip_and_activate(0, output, hidden_);
  for (std::int64_t i = 0; i < hidden_; ++i) row.h[i] = row.c[i];
  activate(2, row.h, hidden_);
  for (std::int64_t i = 0; i < hidden_; ++i) row.h[i] *= output[i];
}

template <typename T>
void CellSteps<T>::gru_gates(const CellRow<T>& row) const {
  if (is_usual_) return recurrent_functions(isa_).gru_gates(float_row(row));
  for (std::int64_t i = 0; i < 2 * hidden_; ++i) row.gates[i] += row.x[i];
  clip_and_activate(0, row.gates, 2 * hidden_);
  const T* reset = row.gates + hidden_;
  for (std::int64_t i = 0; i < hidden_; ++i) row.reset[i] = reset[i] * row.h[i];
}

template <typename T>
void CellSteps<T>::gru_state(const CellRow<T>& row) const {
  if (is_usual_) {
    return recurrent_functions(isa_).gru_state(float_row(row), params_.linear_before_reset);
  }
  const T* update = row.gates;
  const T* reset = update + hidden_;
  T* const state = row.gates + 2 * hidden_;
  if (params_.linear_before_reset) {
    for (std::int64_t i = 0; row.bias != nullptr && i < hidden_; ++i) state[i] += row.bias[i];
    for (std::int64_t i = 0; i < hidden_; ++i) state[i] *= reset[i];
  }
  for (std::int64_t i = 0; i < hidden_; ++i) state[i] += row.x[2 * hidden_ + i];
  clip_and_activate(1, state, hidden_);
  for (std::int64_t i = 0; i < hidden_; ++i)
    row.h[i] = (T{1} - update[i]) * state[i] + update[i] * row.h[i];
}

template class CellSteps<float>;
template class CellSteps<double>;

}  // namespace ortool::cpu
