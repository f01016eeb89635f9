// Token sequences in two buffers: rows are copied to the other one in their new order.
#include "libcore/runtime/search/token_sequences.hpp"

#include <algorithm>
#include <utility>

namespace ortool {

TokenSequences::TokenSequences(const Tensor& prompt, std::int64_t beams, std::int64_t max_length,
                               MemoryCap* cap)
    : tokens_(DataType::int32, Shape{multiply_sizes(prompt.shape()[0], beams), max_length}, cap),
      next_(DataType::int32, tokens_.shape(), cap),
      length_(prompt.shape()[1]) {
  const std::int32_t* from = prompt.data<std::int32_t>().data();
  std::int32_t* to = tokens_.mutable_data<std::int32_t>().data();
  for (std::int64_t row = 0; row < rows(); ++row)
    std::copy_n(from + row / beams * length_, length_, to + row * max_length);
}

std::span<const std::int32_t> TokenSequences::row(std::int64_t index) const {
  const std::int64_t width = tokens_.shape()[1];
  return tokens_.data<std::int32_t>().subspan(static_cast<std::size_t>(index * width),
                                              static_cast<std::size_t>(length_));
}

void TokenSequences::append(std::span<const std::int32_t> parents,
                            std::span<const std::int32_t> tokens) {
  const std::int64_t width = tokens_.shape()[1];
  std::int32_t* to = next_.mutable_data<std::int32_t>().data();
  for (std::int64_t i = 0; i < rows(); ++i) {
    const std::span<const std::int32_t> from = row(parents[static_cast<std::size_t>(i)]);
    std::copy(from.begin(), from.end(), to + i * width);
    to[i * width + length_] = tokens[static_cast<std::size_t>(i)];
  }
  std::swap(tokens_, next_);
  ++length_;
}

}  // namespace ortool
