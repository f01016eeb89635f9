// Recurrent layers: LSTM, GRU and RNN over whole sequences, in one direction or both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/unary_op.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

enum class RecurrentCell : int { rnn, gru, lstm };

/// What is multiplied: W by inputs; R by states, but for the late rows; these.
enum class RecurrentFactor : int { input, state, late_state };

/// A function inside a cell.
struct GateFunction {
  UnaryOp op = UnaryOp::tanh;
  UnaryParameters parameters = {};
};

/// What a layer computes. Gates lie in ONNX's order: z r h of a GRU, i o f c of an LSTM.
struct RecurrentLayerForm {
  RecurrentCell cell = RecurrentCell::rnn;
  std::int64_t directions = 1;
  bool is_reverse = false;           ///< the first direction begins at the end
  bool batch_first = false;          ///< X, Y and the states begin with the batch
  bool linear_before_reset = false;  ///< GRU: the reset gate comes after the product
  bool couples_gates = false;        ///< LSTM: the forget gate is 1 less the input gate
  /// Cells give the same bits on every level, as what rounds states to levels asks for.
  bool is_same_on_levels = false;
  std::optional<double> clip;                  ///< sums of gates are kept within -clip … clip
  std::array<GateFunction, 6> functions = {};  ///< f, g (, h) of each direction

  std::int64_t gates() const {
    return cell == RecurrentCell::lstm ? 4 : cell == RecurrentCell::gru ? 3 : 1;
  }
  std::int64_t functions_each() const {
    return cell == RecurrentCell::lstm ? 3 : cell == RecurrentCell::gru ? 2 : 1;
  }
  /// Rows of R that are a product of their own: a GRU's hidden gate reads r h, not h.
  std::int64_t late_rows(std::int64_t hidden) const {
    return cell == RecurrentCell::gru && !linear_before_reset ? hidden : 0;
  }
  /// The numbers that a product of the factor makes for a row.
  std::int64_t columns_of(RecurrentFactor factor, std::int64_t hidden) const {
    if (factor == RecurrentFactor::late_state) return late_rows(hidden);
    return gates() * hidden - (factor == RecurrentFactor::state ? late_rows(hidden) : 0);
  }
};

struct RecurrentSizes {
  std::int64_t sequence = 0;
  std::int64_t batch = 0;
  std::int64_t input = 0;
  std::int64_t hidden = 0;
};

/// The matrix products of a layer by its weights.
template <typename T>
class RecurrentProducts {
 public:
  virtual ~RecurrentProducts() = default;
  virtual std::int64_t workspace_bytes(RecurrentFactor factor, std::int64_t rows) const = 0;
  /// out (rows × columns_of, gates * hidden apart) = from (rows × depth) by the factor, with
  /// `bias`, one number a column, where it is not null.
  virtual void multiply(RecurrentFactor factor, std::int64_t direction, std::int64_t rows,
                        const T* from, const T* bias, T* out, void* workspace,
                        Workers& workers) const = 0;
};

/// Null where left out.
template <typename T>
struct RecurrentOperands {
  const T* x = nullptr;
  const T* bias = nullptr;
  const std::int32_t* lengths = nullptr;
  const T* initial_h = nullptr;
  const T* initial_c = nullptr;
  const T* peepholes = nullptr;
  T* y = nullptr;
  T* y_h = nullptr;
  T* y_c = nullptr;
};

template <typename T>
std::int64_t recurrent_workspace_bytes(const RecurrentLayerForm& form, const RecurrentSizes& sizes,
                                       const RecurrentProducts<T>& products);

/// The layer. Outputs behind a sequence's length are 0; a sequence of length 0 ends with states of
/// 0. Lengths are taken to lie in [0, sequence]. The input's products are one matrix product for
/// all steps up to the end of the longest sequence, with `batch_first` for all; directions run side
/// by side where they are small. Bits do not depend on the number of threads. T: float, double.
template <typename T>
void recurrent_layer(const RecurrentLayerForm& form, const RecurrentSizes& sizes,
                     const RecurrentOperands<T>& operands, const RecurrentProducts<T>& products,
                     Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
