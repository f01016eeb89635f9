// Operator traits: facts that hold for every node of an operator, so that rewriting, quantization
// and layout assignment need no lists of operator names.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ortool {

/// A fact about an operator. docs/contributing/add-an-operator.md says who uses each.
enum class OpTrait : std::uint8_t {
  /// Each output element depends only on the input elements at the same position, after
  /// broadcasting.
  elementwise,
  /// Elementwise, and the output has the shape of the first input.
  unidirectional,
  /// The output consists of elements of the first input only: moved, repeated or dropped.
  data_movement,
  /// Data movement that changes only the shape; the order of the elements stays.
  reshapes,
  /// Not elementwise, but each output axis has the same meaning as that axis of the first input.
  keeps_axes,
  /// The inputs may be permuted.
  commutative,
  /// Applied to its own output it changes nothing.
  idempotent,
  /// With a single input (for Split: a single output) it is the identity.
  forwards_single_operand,
  /// No output element is negative, whatever the inputs are.
  nonnegative,
  /// If all inputs are zero, so is the output.
  keeps_zero,
  /// Scaling the first input by a positive factor, per channel, scales the output by the same
  /// factor.
  scales_with_input,
  /// Axis 1 of the first input is the channel axis, whatever the attributes say.
  channels_second,
  /// Not elementwise, and the float16 kernels convert to float32 and back.
  computes_in_float32,
  /// Loses too much precision in float16 to be converted.
  needs_float32,
  /// The element type of the output is set by an attribute or by an operand other than the first.
  own_result_type,
  /// Shape inference tracks its elements one by one.
  infers_elements,
  /// Consumes or produces quantized integers.
  quantized,
  /// Multiplies quantized integers.
  integer_product,
  /// A recurrent layer with weights, recurrent weights and initial states.
  recurrent,
  /// Draws random numbers, at least in training.
  random,
  /// Has subgraphs, which the runtime executes.
  control_flow,
  /// An experimental operator that ONNX removed with opset 10.
  withdrawn,
};

/// How quantization treats an operator.
enum class QuantizeRole {
  product,   ///< sums of products with weights: what int8 kernels accelerate
  move,      ///< moves elements unchanged; the result needs no scale of its own
  clip,      ///< Relu, and Clip with constant bounds: merged into the node before it
  sum,       ///< Add, Sub and Mul of two tensors
  concat,    ///< joins several tensors, which then share one scale
  function,  ///< a function of one element
  mean,      ///< averages several elements; stays within their range
  none,      ///< computes in floating point
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

/// All traits of one operator.
struct OpTraits {
  OpTraitSet set = {};
  QuantizeRole role = QuantizeRole::none;
  std::int8_t neutral = -1;         ///< neutral second operand (0 or 1); -1: none
  std::int8_t element_inputs = -1;  ///< if elementwise: inputs after these are parameters; -1:
                                    ///< all inputs are elements
  std::int8_t filters = -1;  ///< the input with shape [outputs, inputs / groups, ...]; -1: none
  std::int8_t indices = -1;  ///< the input with indices into the first one; -1: none
  std::int8_t shape = -1;    ///< the input with a shape, repeats or a count; -1: none

  constexpr bool has(OpTrait trait) const { return set.has(trait); }
  /// Whether the input of an elementwise operator holds elements rather than a parameter.
  constexpr bool holds_elements(std::int64_t input) const {
    return element_inputs < 0 || input < element_inputs;
  }
};

}  // namespace ortool
