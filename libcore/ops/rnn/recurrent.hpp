// What LSTM, GRU and RNN have in common: directions, gates, and the shapes these lead to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/rnn/activation.hpp"

namespace ortool {

/// A layer that reads a sequence step by step and carries a hidden state from one to the next.
struct RecurrentLayer {
  enum class Direction { forward, reverse, bidirectional };

  Direction direction = Direction::forward;
  std::optional<std::int64_t> hidden_size;       ///< nothing: the weights tell
  std::vector<RecurrentActivation> activations;  ///< of each gate, for each direction
  std::optional<float> clip;  ///< inputs of activations are kept within -clip … clip
  bool batch_first = false;   ///< sequences lie along the second axis of X, not the first

  std::int64_t directions() const { return direction == Direction::bidirectional ? 2 : 1; }

 protected:
  void read_layer(AttributeReader& attributes,
                  std::span<const RecurrentActivation::Function> defaults);

  struct Sizes {
    Dimension sequence;
    Dimension batch;
    Dimension hidden;
  };

  /// Checks X, W, R, B, sequence_lens and initial_h, inputs 0 to 5, for weights of `gates` gates,
  /// which lie along the last axis of W and R where they are turned. Throws ErrorCode::invalid for
  /// shapes that cannot go together.
  Sizes check_operands(const InferContext& context, std::int64_t gates,
                       bool is_turned = false) const;
  /// The rows of weights for `gates` gates.
  static Dimension weight_rows(const Sizes& sizes, std::int64_t gates);
  /// The shape of a state, and of initial ones.
  Dimensions state_shape(const Sizes& sizes) const;
  /// Outputs Y and Y_h.
  void set_outputs(InferContext& context, const Sizes& sizes) const;
};

/// Throws ErrorCode::invalid when an input's shape is known and differs from `expected`.
void check_operand_shape(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimensions& expected);

}  // namespace ortool
