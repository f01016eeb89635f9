// Recurrent layers: LSTM, GRU and RNN over whole sequences, in one direction or both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/cpu/cpu_features.hpp"
#include "kernels/cpu/unary_op.hpp"
#include "libcore/base/thread_pool.hpp"

namespace ortool::cpu {

enum class RecurrentCell : int { rnn, gru, lstm };

/// A function inside a cell.
struct GateFunction {
  UnaryOp op = UnaryOp::tanh;
  UnaryParameters parameters = {};
};

/// What a layer computes. Gates lie in ONNX's order: z r h of a GRU, i o f c of an LSTM.
struct RecurrentLayerForm {
  RecurrentCell cell = RecurrentCell::rnn;
  std::int64_t directions = 1;
  bool is_reverse = false;                     ///< the first direction begins at the end
  bool batch_first = false;                    ///< X, Y and the states begin with the batch
  bool linear_before_reset = false;            ///< GRU: the reset gate comes after the product
  bool couples_gates = false;                  ///< LSTM: the forget gate is 1 less the input gate
  std::optional<double> clip;                  ///< sums of gates are kept within -clip … clip
  std::array<GateFunction, 6> functions = {};  ///< f, g (, h) of each direction

  std::int64_t gates() const {
    return cell == RecurrentCell::lstm ? 4 : cell == RecurrentCell::gru ? 3 : 1;
  }
  std::int64_t functions_each() const {
    return cell == RecurrentCell::lstm ? 3 : cell == RecurrentCell::gru ? 2 : 1;
  }
};

struct RecurrentSizes {
  std::int64_t sequence = 0;
  std::int64_t batch = 0;
  std::int64_t input = 0;
  std::int64_t hidden = 0;
};

/// Null where left out. Weights are as `pack_recurrent` left them.
template <typename T>
struct RecurrentOperands {
  const T* x = nullptr;
  const T* weights = nullptr;
  const T* bias = nullptr;
  const std::int32_t* lengths = nullptr;
  const T* initial_h = nullptr;
  const T* initial_c = nullptr;
  const T* peepholes = nullptr;
  T* y = nullptr;
  T* y_h = nullptr;
  T* y_c = nullptr;
};

/// Elements of both weights, W and R of all directions, once packed.
template <typename T>
std::int64_t packed_recurrent_elements(const RecurrentLayerForm& form, std::int64_t input,
                                       std::int64_t hidden, Isa isa);

/// Packs W [directions, gates * hidden, input] and R [directions, gates * hidden, hidden].
template <typename T>
void pack_recurrent(const RecurrentLayerForm& form, std::int64_t input, std::int64_t hidden,
                    const T* w, const T* r, Isa isa, T* out, Workers& workers);

template <typename T>
std::int64_t recurrent_workspace_bytes(const RecurrentLayerForm& form, const RecurrentSizes& sizes,
                                       Isa isa);

/// The layer. Outputs behind a sequence's length are 0; a sequence of length 0 ends with states of
/// 0. Lengths are taken to lie in [0, sequence]. The input's products are one matrix product for
/// all steps; directions run side by side where they are small. Bits do not depend on the number of
/// threads. T: float, double.
template <typename T>
void recurrent_layer(const RecurrentLayerForm& form, const RecurrentSizes& sizes,
                     const RecurrentOperands<T>& operands, Isa isa, void* workspace,
                     Workers& workers);

}  // namespace ortool::cpu
