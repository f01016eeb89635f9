// Moves strings to a tensor whose memory is counted.
#include "libcore/tensor/counted_texts.hpp"

#include <iterator>
#include <utility>

namespace ortool {

Tensor with_counted_texts(Tensor tensor, MemoryCap* cap) {
  if (tensor.type() != DataType::string || cap == nullptr) return tensor;
  const std::span<std::string> texts = tensor.mutable_strings();
  std::vector<std::string> moved(std::make_move_iterator(texts.begin()),
                                 std::make_move_iterator(texts.end()));
  Shape shape = tensor.shape();
  tensor = Tensor();
  return Tensor::of_strings(std::move(shape), std::move(moved), cap);
}

}  // namespace ortool
