// Operands of generation operators: lengths, penalties and masks, checked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/provider/kernel.hpp"

namespace ortool {

/// The node's own inputs: those of the context behind them are captures of the bodies.
struct SearchInputs {
  const DynamicContext& context;
  std::size_t count = 0;

  bool has(std::size_t input) const { return input < count && context.has_input(input); }
};

/// The tensor, or null when the input is omitted.
const Tensor* optional_tensor(const SearchInputs& inputs, std::size_t input);
/// The int32 of one element; `otherwise` when the input is omitted.
std::int64_t integer_operand(const SearchInputs& inputs, std::size_t input, std::string_view name,
                             std::int64_t otherwise);
/// The same for a float32 or float16.
float number_operand(const SearchInputs& inputs, std::size_t input, std::string_view name,
                     float otherwise);
/// An int32 mask with `rows` (0: none, a vector) times `width` elements; empty when omitted.
std::span<const std::int32_t> mask_operand(const SearchInputs& inputs, std::size_t input,
                                           std::string_view name, std::int64_t rows,
                                           std::int64_t width);
/// The largest length, above that of the prompt.
std::int64_t max_length_operand(const SearchInputs& inputs, std::int64_t prompt);
/// The scores of the last position, for the first `vocabulary` tokens; row `i` of the result is row
/// `i * rows of logits / rows` of the logits.
Tensor last_scores(const Tensor& logits, std::int64_t rows, std::int64_t vocabulary,
                   MemoryCap* cap);

}  // namespace ortool
