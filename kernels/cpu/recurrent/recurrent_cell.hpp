// Recurrent cells: one step of one sequence, with any activations and options.
#pragma once

#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/recurrent/recurrent.hpp"
#include "kernels/cpu/recurrent/recurrent_rows.hpp"

namespace ortool::cpu {

/// Operands of one step of one sequence; see RecurrentRow.
template <typename T>
struct CellRow {
  const T* x;
  T* gates;
  T* h;
  T* c;
  T* reset;
  const T* bias;
  const T* peepholes;
};

/// The cell steps of one direction.
template <typename T>
class CellSteps {
 public:
  CellSteps(const RecurrentLayerParams& params, std::int64_t direction, std::int64_t hidden,
            bool has_peepholes, Isa isa);

  void rnn(const CellRow<T>& row) const;
  void lstm(const CellRow<T>& row) const;
  /// The gates z and r, and r h.
  void gru_gates(const CellRow<T>& row) const;
  /// The hidden gate and the new state.
  void gru_state(const CellRow<T>& row) const;

 private:
  void activate(int function, T* values, std::int64_t count) const;
  void clip_and_activate(int function, T* values, std::int64_t count) const;
  RecurrentRow float_row(const CellRow<T>& row) const;

  const RecurrentLayerParams& params_;
  const GateFunction* functions_;
  std::int64_t hidden_;
  Isa isa_;
  Isa function_isa_;  ///< for activations applied one by one
  bool is_usual_;     ///< float with the default activations, which have vector loops
};

}  // namespace ortool::cpu
