// Shared buffers: the indirection of a beam is that of its parent, up to the token that it adds.
#include "libcore/runtime/search/shared_buffer.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/runtime/search/body_inputs.hpp"

namespace ortool {

SharedBuffer::SharedBuffer(std::int64_t batch, std::int64_t max_length, MemoryCap* cap)
    : batch_(batch), max_length_(max_length), cap_(cap) {
  expand(1);
}

void SharedBuffer::expand(std::int64_t beams) {
  beams_ = beams;
  beam_of_.resize(
      static_cast<std::size_t>(multiply_sizes(multiply_sizes(batch_, beams), max_length_)));
  auto place = beam_of_.begin();
  for (std::int64_t row = 0; row < batch_ * beams; ++row)
    place = std::fill_n(place, max_length_, static_cast<std::int32_t>(row % beams));
}

void SharedBuffer::advance(std::span<const std::int32_t> parents, std::int64_t length) {
  const std::vector<std::int32_t> before = beam_of_;
  for (std::size_t row = 0; row < parents.size(); ++row) {
    const auto own = static_cast<std::ptrdiff_t>(row) * max_length_;
    const auto parent = static_cast<std::ptrdiff_t>(parents[row]) * max_length_;
    std::copy_n(before.begin() + parent, length, beam_of_.begin() + own);
  }
}

RunValue SharedBuffer::input(DecoderInput which, const Value& declared, std::int64_t length) const {
  if (which == DecoderInput::cache_indirection) {
    const Tensor tensor = Tensor::of<std::int32_t>(Shape{batch_, beams_, max_length_}, beam_of_);
    return as_declared(tensor, declared, cap_);
  }
  const std::int64_t number = which == DecoderInput::past_length ? length : beams_;
  const std::vector<std::int32_t> one = {static_cast<std::int32_t>(number)};
  return as_declared(Tensor::of<std::int32_t>(Shape{1}, one), declared, cap_);
}

Tensor SharedBuffer::empty_cache(DataType type, std::vector<std::int64_t> sizes,
                                 std::int64_t axis) const {
  sizes[static_cast<std::size_t>(axis)] = max_length_;
  Tensor cache(type, Shape(std::move(sizes)), cap_);
  std::fill_n(cache.mutable_bytes(), bytes_of(type, cache.element_count()), std::byte{0});
  return cache;
}

RunValue SharedBuffer::lengthened(const RunValue& cache, std::int64_t axis) const {
  const Tensor& from = cache.tensor();
  const Shape& shape = from.shape();
  if (shape[axis] == max_length_) return cache;
  if (shape[axis] > max_length_)
    throw Error(ErrorCode::invalid, format("a cache is {} (expected at most {} tokens)",
                                           cache.describe(), max_length_));
  Tensor longer =
      empty_cache(from.type(), std::vector<std::int64_t>(shape.begin(), shape.end()), axis);
  const std::int64_t token_bytes = bytes_of(from.type(), shape.product(axis + 1, shape.rank()));
  const std::byte* source = from.bytes();
  std::byte* to = longer.mutable_bytes();
  for (std::int64_t outer = 0; outer < shape.product(0, axis); ++outer) {
    std::copy_n(source, shape[axis] * token_bytes, to);
    source += shape[axis] * token_bytes;
    to += max_length_ * token_bytes;
  }
  return RunValue(std::move(longer));
}

}  // namespace ortool
