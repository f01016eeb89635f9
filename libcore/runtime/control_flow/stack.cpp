// Stacking and slicing: copies blocks between a tensor and its slices.
#include "libcore/runtime/control_flow/stack.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/tensor/counted_texts.hpp"

namespace ortool {
namespace {

Shape without_axis(const Shape& shape, std::int64_t axis) {
  std::vector<std::int64_t> dimensions(shape.begin(), shape.end());
  dimensions.erase(dimensions.begin() + axis);
  return Shape(std::move(dimensions));
}

Shape with_axis(const Shape& shape, std::int64_t axis, std::int64_t size) {
  std::vector<std::int64_t> dimensions(shape.begin(), shape.end());
  dimensions.insert(dimensions.begin() + axis, size);
  return Shape(std::move(dimensions));
}

void check_whole_bytes(DataType type) {
  if (type == DataType::string || element_bits(type) >= 8) return;
  throw Error(
      ErrorCode::unsupported,
      format("slices of {} tensors are not supported: their elements share bytes", name_of(type)));
}

/// Throws unless there is memory for copies of all strings.
void check_texts(std::span<const RunValue> tensors, MemoryCap* cap) {
  std::int64_t bytes = 0;
  for (const RunValue& tensor : tensors) {
    if (tensor.tensor().type() != DataType::string) continue;
    for (const std::string& text : tensor.tensor().strings())
      bytes += static_cast<std::int64_t>(text.size());
  }
  const MemoryReservation room(cap, bytes, "the texts of stacked tensors");
}

}  // namespace

Tensor slice_at(const Tensor& tensor, std::int64_t axis, std::int64_t index, MemoryCap* cap) {
  check_whole_bytes(tensor.type());
  const Shape shape = without_axis(tensor.shape(), axis);
  const std::int64_t outer = tensor.shape().product(0, axis);
  const std::int64_t size = tensor.shape()[axis];
  const std::int64_t inner = tensor.shape().product(axis + 1, tensor.shape().rank());
  if (tensor.type() == DataType::string) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < outer; ++i) {
      const auto from = tensor.strings().begin() + (i * size + index) * inner;
      texts.insert(texts.end(), from, from + inner);
    }
    return Tensor::of_strings(shape, std::move(texts), cap);
  }
  const std::int64_t block = inner * element_bits(tensor.type()) / 8;
  if (outer == 1) {
    return Tensor::view(tensor.type(), shape,
                        std::span(tensor.bytes() + index * block, static_cast<std::size_t>(block)),
                        nullptr);
  }
  Tensor result(tensor.type(), shape, cap);
  std::byte* out = result.mutable_bytes();
  for (std::int64_t i = 0; i < outer && block > 0; ++i) {
    std::memcpy(out + i * block, tensor.bytes() + (i * size + index) * block,
                static_cast<std::size_t>(block));
  }
  return result;
}

Tensor stack(std::span<const RunValue> tensors, std::int64_t axis, bool reversed, DataType type,
             const Shape& empty_shape, const char* what, MemoryCap* cap) {
  if (tensors.empty()) return Tensor(type, empty_shape, cap);
  const Tensor& first = tensors.front().tensor();
  check_whole_bytes(first.type());
  const auto count = static_cast<std::int64_t>(tensors.size());
  if (first.type() == DataType::string) check_texts(tensors, cap);
  Tensor result(first.type(), with_axis(first.shape(), axis, count), cap);
  const std::int64_t outer = first.shape().product(0, axis);
  const std::int64_t inner = first.shape().product(axis, first.shape().rank());
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor& tensor = tensors[static_cast<std::size_t>(i)].tensor();
    if (tensor.type() != first.type() || tensor.shape() != first.shape()) {
      throw Error(ErrorCode::invalid,
                  format("{} is {} in iteration {} (expected {}, as in the first)", what,
                         RunValue(tensor).describe(), i, RunValue(first).describe()),
                  "scan outputs must have the same shape in every iteration");
    }
    const std::int64_t place = reversed ? count - 1 - i : i;
    if (first.type() == DataType::string) {
      for (std::int64_t o = 0; o < outer; ++o) {
        const auto from = tensor.strings().begin() + o * inner;
        std::copy(from, from + inner,
                  result.mutable_strings().begin() + (o * count + place) * inner);
      }
      continue;
    }
    const std::int64_t block = inner * element_bits(first.type()) / 8;
    std::byte* out = result.mutable_bytes();
    for (std::int64_t o = 0; o < outer && block > 0; ++o) {
      std::memcpy(out + (o * count + place) * block, tensor.bytes() + o * block,
                  static_cast<std::size_t>(block));
    }
  }
  return with_counted_texts(std::move(result), cap);
}

}  // namespace ortool
