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

/// The weight matrices: W (for inputs), R without its late rows (for states), and the late rows.
enum class RecurrentFactor : int { input, state, late_state };

/// An activation function of a cell.
struct GateFunction {
  UnaryOp op = UnaryOp::tanh;
  UnaryParameters parameters = {};
};

/// Layer attributes. Gates are in ONNX's order: z r h for GRU, i o f c for LSTM.
struct RecurrentLayerParams {
  RecurrentCell cell = RecurrentCell::rnn;
  std::int64_t directions = 1;
  bool is_reverse = false;           ///< the first direction runs backward
  bool batch_first = false;          ///< X, Y and the states have the batch as first dimension
  bool linear_before_reset = false;  ///< GRU: the reset gate is applied after the product
  bool couples_gates = false;        ///< LSTM: the forget gate is 1 minus the input gate
  /// Cells are bit-identical on all instruction sets, which is required if states are quantized.
  bool is_same_on_isas = false;
  std::optional<double> clip;                  ///< gate sums are clipped to [-clip, clip]
  std::array<GateFunction, 6> functions = {};  ///< f, g (, h) for each direction

  std::int64_t gates() const {
    return cell == RecurrentCell::lstm ? 4 : cell == RecurrentCell::gru ? 3 : 1;
  }
  std::int64_t functions_each() const {
    return cell == RecurrentCell::lstm ? 3 : cell == RecurrentCell::gru ? 2 : 1;
  }
  /// Rows of R that take a separate product: a GRU's hidden gate reads r h, not h.
  std::int64_t late_rows(std::int64_t hidden) const {
    return cell == RecurrentCell::gru && !linear_before_reset ? hidden : 0;
  }
  /// Columns of a product with this factor.
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

/// The matrix products of a layer with its weights.
template <typename T>
class RecurrentProducts {
 public:
  virtual ~RecurrentProducts() = default;
  virtual std::int64_t workspace_bytes(RecurrentFactor factor, std::int64_t rows) const = 0;
  /// out (rows × columns_of, row stride gates * hidden) = from (rows × depth) by the factor, plus
  /// `bias`, one value per column, unless it is null.
  virtual void multiply(RecurrentFactor factor, std::int64_t direction, std::int64_t rows,
                        const T* from, const T* bias, T* out, void* workspace,
                        Workers& workers) const = 0;
};

/// Optional operands are null.
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
std::int64_t recurrent_workspace_bytes(const RecurrentLayerParams& params,
                                       const RecurrentSizes& sizes,
                                       const RecurrentProducts<T>& products);

/// Runs the layer. Outputs past a sequence's length are 0; a sequence of length 0 ends with zero
/// states. Lengths must lie in [0, sequence]. The input products are a single GEMM for all steps up
/// to the longest sequence (for all steps with `batch_first`); small directions run concurrently.
/// Results do not depend on the number of threads. T: float, double.
template <typename T>
void recurrent_layer(const RecurrentLayerParams& params, const RecurrentSizes& sizes,
                     const RecurrentOperands<T>& operands, const RecurrentProducts<T>& products,
                     Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
