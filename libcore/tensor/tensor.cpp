// Ownership and checked access of tensor data.
#include "libcore/tensor/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {
namespace {

/// Strings that count against a cap during their lifetime.
struct CountedStrings {
  CountedStrings(MemoryCap* cap, std::int64_t bytes) : taken(cap, bytes, "a tensor of strings") {}

  MemoryReservation taken;
  std::vector<std::string> texts;
};

/// `fill` creates the strings after their bytes have been reserved from `cap` (may be null).
template <typename Fill>
std::shared_ptr<std::vector<std::string>> counted_strings(std::int64_t bytes, MemoryCap* cap,
                                                          Fill fill) {
  auto counted = std::make_shared<CountedStrings>(cap, bytes);
  counted->texts = fill();
  return {counted, &counted->texts};
}

}  // namespace

std::int64_t bytes_of_strings(std::span<const std::string> strings) {
  std::int64_t bytes = 0;
  for (const std::string& text : strings)
    bytes += static_cast<std::int64_t>(sizeof(text) + text.size());
  return bytes;
}

Tensor::Tensor(DataType type, Shape shape, MemoryCap* cap)
    : type_(type),
      shape_(std::move(shape)),
      element_count_(shape_.element_count()),
      size_bytes_(bytes_of(type, element_count_)),
      is_writable_(true) {
  ORTOOL_CHECK(type != DataType::undefined);
  if (type == DataType::string) {
    bytes_of(DataType::float64, element_count_);
    strings_ = counted_strings(multiply_sizes(element_count_, sizeof(std::string)), cap, [&] {
      return std::vector<std::string>(static_cast<std::size_t>(element_count_));
    });
    return;
  }
  auto buffer = std::make_shared<AlignedBuffer>(size_bytes_, cap, "a tensor");
  data_ = buffer->data();
  owner_ = std::move(buffer);
}

Tensor Tensor::view(DataType type, Shape shape, std::span<const std::byte> bytes,
                    std::shared_ptr<const void> owner) {
  ORTOOL_CHECK(type != DataType::undefined && type != DataType::string);
  Tensor tensor;
  tensor.type_ = type;
  tensor.shape_ = std::move(shape);
  tensor.element_count_ = tensor.shape_.element_count();
  tensor.size_bytes_ = bytes_of(type, tensor.element_count_);
  if (tensor.size_bytes_ != static_cast<std::int64_t>(bytes.size())) {
    throw Error(ErrorCode::invalid,
                format("{} bytes found where {} of shape {} requires {}", bytes.size(),
                       name_of(type), tensor.shape_.to_string(), tensor.size_bytes_),
                "the file is damaged or was written with another shape or type");
  }
  tensor.data_ = bytes.data();
  tensor.owner_ = std::move(owner);
  return tensor;
}

Tensor Tensor::of_strings(Shape shape, std::vector<std::string> values, MemoryCap* cap) {
  ORTOOL_CHECK(static_cast<std::int64_t>(values.size()) == shape.element_count());
  const std::int64_t bytes = bytes_of_strings(values);
  Tensor tensor;
  tensor.type_ = DataType::string;
  tensor.shape_ = std::move(shape);
  tensor.element_count_ = tensor.shape_.element_count();
  tensor.is_writable_ = true;
  tensor.strings_ = counted_strings(bytes, cap, [&] { return std::move(values); });
  return tensor;
}

std::byte* Tensor::mutable_bytes() {
  ORTOOL_CHECK(is_writable_);
  origin_.reset();
  return const_cast<std::byte*>(data_);
}

std::span<const std::string> Tensor::strings() const {
  ORTOOL_CHECK(type_ == DataType::string);
  return *strings_;
}

std::span<std::string> Tensor::mutable_strings() {
  ORTOOL_CHECK(type_ == DataType::string && is_writable_);
  origin_.reset();
  return *strings_;
}

bool Tensor::is_aligned() const {
  const auto element = static_cast<std::uintptr_t>(std::max(element_bits(type_) / 8, 1));
  return reinterpret_cast<std::uintptr_t>(data_) % std::min<std::uintptr_t>(element, 8) == 0;
}

Tensor Tensor::aligned() const {
  if (type_ == DataType::string || is_aligned()) return *this;
  Tensor copy(type_, shape_);
  // Pages of a mapped file are released piece by piece after copying, so that a large constant is
  // not in memory twice.
  constexpr std::int64_t piece_bytes = 4 << 20;
  for (std::int64_t at = 0; at < size_bytes_; at += piece_bytes) {
    const auto count = static_cast<std::size_t>(std::min(piece_bytes, size_bytes_ - at));
    std::memcpy(copy.mutable_bytes() + at, data_ + at, count);
    if (size_bytes_ >= piece_bytes) drop_pages({data_ + at, count});
  }
  copy.origin_ = origin_;
  return copy;
}

Tensor Tensor::owned(MemoryCap* cap) const {
  if (owner_ != nullptr || strings_ != nullptr || is_empty()) return *this;
  Tensor copy(type_, shape_, cap);
  if (size_bytes_ > 0)
    std::memcpy(copy.mutable_bytes(), data_, static_cast<std::size_t>(size_bytes_));
  return copy;
}

Tensor Tensor::reshaped(Shape shape) const {
  ORTOOL_CHECK(shape.element_count() == element_count_);
  Tensor result = *this;
  result.shape_ = std::move(shape);
  result.origin_.reset();
  return result;
}

void Tensor::check_type(DataType wanted, std::size_t element_bytes) const {
  const bool same_bits = static_cast<std::size_t>(element_bits(type_)) == element_bytes * 8;
  const bool by_bits =
      (wanted == DataType::uint8 && (type_ == DataType::boolean || element_bits(type_) == 8)) ||
      (wanted == DataType::uint16 && (type_ == DataType::float16 || type_ == DataType::bfloat16));
  ORTOOL_CHECK(type_ == wanted || (same_bits && by_bits));
  ORTOOL_CHECK(element_count_ == 0 ||
               reinterpret_cast<std::uintptr_t>(data_) % element_bytes == 0 || is_aligned());
}

}  // namespace ortool
