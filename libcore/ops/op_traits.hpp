// Operator traits: what holds of every node of an operator, so that rewriting, quantization and
// layout assignment need no lists of operator names.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ortool {

/// A fact about an operator. docs/contributing/add-an-operator.md says who reads each.
enum class OpTrait : std::uint8_t {
  /// Each element of the output follows from the elements at its place in the inputs, which
  /// broadcast.
  elementwise,
  /// Elementwise, and the first input has the shape of the output.
  unidirectional,
  /// The output holds elements of the first input and nothing else: moved, repeated or left out.
  data_movement,
  /// Data movement that changes the shape alone: the elements stay in order.
  reshapes,
  /// Not elementwise, yet the axes of the output mean what those of the first input mean.
  keeps_axes,
  /// The inputs may stand in any order.
  commutative,
  /// Applied to its own output it changes nothing.
  idempotent,
  /// With a single input (of Split: a single output) it changes nothing.
  forwards_single_operand,
  /// No element of the output is below 0, whatever the inputs are.
  nonnegative,
  /// Zeros in every input give zeros.
  keeps_zero,
  /// Scaling the first input by a positive number scales the output by it, channel by channel.
  scales_with_input,
  /// Axis 1 of the first input holds the channels, whatever the attributes say.
  channels_second,
  /// Not elementwise, and kernels for float16 convert to float32 and back.
  computes_in_float32,
  /// Loses too much in float16 to be converted.
  needs_float32,
  /// An attribute or another operand than the first says the element type of the output.
  own_result_type,
  /// Shape inference follows its elements one by one.
  infers_elements,
  /// Reads or makes quantized integers.
  quantized,
  /// Multiplies quantized integers.
  integer_product,
  /// A recurrent layer with weights, recurrent weights and initial states.
  recurrent,
  /// Draws random numbers, in training at least.
  random,
  /// Its graphs are programs of their own, which the runtime runs.
  control_flow,
  /// An experimental operator that ONNX withdrew with opset 10.
  withdrawn,
};

/// What an operator does with numbers, as far as quantizing them is concerned.
enum class QuantizeRole {
  product,   ///< sums of products with weights: what integers make faster
  move,      ///< elements as they are, elsewhere: the result needs no scale of its own
  clip,      ///< Relu, and Clip with constant bounds: part of the node before it
  sum,       ///< Add, Sub and Mul of two tensors
  concat,    ///< several tensors side by side: one scale for all
  function,  ///< of one element
  mean,      ///< of many elements, within their range
  none,      ///< computes in floats
};

class OpTraitSet {
 public:
  constexpr OpTraitSet() = default;
  constexpr OpTraitSet(std::initializer_list<OpTrait> traits) {
    for (const OpTrait trait : traits) bits_ |= bit(trait);
  }

  constexpr bool has(OpTrait trait) const { return (bits_ & bit(trait)) != 0; }

 private:
  static constexpr std::uint32_t bit(OpTrait trait) {
    return std::uint32_t{1} << static_cast<unsigned>(trait);
  }

  std::uint32_t bits_ = 0;
};

/// All facts about one operator.
struct OpTraits {
  OpTraitSet set = {};
  QuantizeRole role = QuantizeRole::none;
  std::int8_t neutral = -1;         ///< the second operand that changes nothing: 0, 1; -1: none
  std::int8_t element_inputs = -1;  ///< of an elementwise one: further inputs are parameters; -1:
                                    ///< all inputs are elements
  std::int8_t filters = -1;  ///< the input of shape [outputs, inputs / groups, ...]; -1: none
  std::int8_t indices = -1;  ///< the input of indices into the first one; -1: none
  std::int8_t shape = -1;    ///< the input that is a shape, repeats or a count; -1: none

  constexpr bool has(OpTrait trait) const { return set.has(trait); }
  /// Whether an elementwise operator takes elements, and no parameter, from the input.
  constexpr bool holds_elements(std::int64_t input) const {
    return element_inputs < 0 || input < element_inputs;
  }
};

}  // namespace ortool
