// Common parts of LSTM, GRU and RNN: directions, gates, and operand shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/rnn/activation.hpp"

namespace ortool {

/// A layer that processes a sequence step by step and carries a hidden state between steps.
struct RecurrentLayer {
  enum class Direction { forward, reverse, bidirectional };

  Direction direction = Direction::forward;
  std::optional<std::int64_t> hidden_size;       ///< absent: derived from the weights
  std::vector<RecurrentActivation> activations;  ///< for each gate of each direction
  std::optional<float> clip;                     ///< clamps inputs of activations to [-clip, clip]
  bool batch_first = false;  ///< the time axis of X is the second, not the first

  std::int64_t directions() const { return direction == Direction::bidirectional ? 2 : 1; }

 protected:
  void read_layer(AttributeReader& attributes,
                  std::span<const RecurrentActivation::Function> defaults);

  struct Sizes {
    Dimension sequence;
    Dimension batch;
    Dimension hidden;
  };

  /// Checks X, W, R, B, sequence_lens and initial_h (inputs 0 to 5) for weights of `gates` gates;
  /// if `W` and `R` are transposed, the gates are along their last axis. The cell reads `more`
  /// elements beside those of X. Throws ErrorCode::invalid for incompatible shapes.
  Sizes check_operands(const InferContext& context, std::int64_t gates, bool is_transposed = false,
                       const Dimension& more = 0) const;
  /// The number of weight rows for `gates` gates.
  static Dimension weight_rows(const Sizes& sizes, std::int64_t gates);
  /// The shape of the final and initial states.
  Dimensions state_shape(const Sizes& sizes) const;
  /// Sets the types of outputs Y and Y_h.
  void set_outputs(InferContext& context, const Sizes& sizes) const;
};

/// Throws ErrorCode::invalid when the input's shape is known and differs from `expected`.
void check_operand_shape(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimensions& expected);

}  // namespace ortool
