// Tensor: element type, shape, and shared data that may be mapped from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

template <typename T>
struct DataTypeOf;  // the DataType of C++ type T; 16-bit floats are represented by their bits

// clang-format off
template <> struct DataTypeOf<float> { static constexpr DataType value = DataType::float32; };
template <> struct DataTypeOf<double> { static constexpr DataType value = DataType::float64; };
template <> struct DataTypeOf<std::int8_t> { static constexpr DataType value = DataType::int8; };
template <> struct DataTypeOf<std::int16_t> { static constexpr DataType value = DataType::int16; };
template <> struct DataTypeOf<std::int32_t> { static constexpr DataType value = DataType::int32; };
template <> struct DataTypeOf<std::int64_t> { static constexpr DataType value = DataType::int64; };
template <> struct DataTypeOf<std::uint8_t> { static constexpr DataType value = DataType::uint8; };
template <> struct DataTypeOf<std::uint16_t> { static constexpr DataType value = DataType::uint16; };
template <> struct DataTypeOf<std::uint32_t> { static constexpr DataType value = DataType::uint32; };
template <> struct DataTypeOf<std::uint64_t> { static constexpr DataType value = DataType::uint64; };
template <> struct DataTypeOf<bool> { static constexpr DataType value = DataType::boolean; };
// clang-format on

/// The message in a file from which a tensor was read.
struct TensorOrigin {
  std::span<const std::byte> message;
  std::shared_ptr<const void> owner;  ///< keeps the message's bytes alive
  bool is_external = false;           ///< the data is in another file, which the message names
};

/// The approximate memory of the strings.
std::int64_t bytes_of_strings(std::span<const std::string> strings);

/// A value type: copies share the data. The data is never modified once a tensor is shared; only
/// its creator writes, through mutable_data(), before sharing. Elements are row-major; packed types
/// store two or four in each byte, the first in the low bits.
class Tensor {
 public:
  /// No tensor: undefined type, scalar shape, no data.
  Tensor() = default;

  /// Uninitialized data (strings: empty) of the tensor's size, counted against `cap` (may be null,
  /// must outlive the data). Throws ErrorCode::memory_limit.
  Tensor(DataType type, Shape shape, MemoryCap* cap = nullptr);

  /// A view of bytes that `owner` keeps alive (a mapped file, an arena). Throws ErrorCode::invalid
  /// unless `bytes` has exactly the size that type and shape require. The bytes may be unaligned:
  /// see is_aligned().
  static Tensor view(DataType type, Shape shape, std::span<const std::byte> bytes,
                     std::shared_ptr<const void> owner);

  /// A tensor with a copy of `values`, whose number must match the shape.
  template <typename T>
  static Tensor of(Shape shape, std::span<const T> values);
  template <typename T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  /// The strings, counted against `cap` (may be null, must outlive them) with their current sizes.
  static Tensor of_strings(Shape shape, std::vector<std::string> values, MemoryCap* cap = nullptr);
  template <typename T>
  static Tensor scalar(T value) {
    return of<T>(Shape{}, std::span<const T>(&value, 1));
  }

  bool is_empty() const { return type_ == DataType::undefined; }
  DataType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::int64_t element_count() const { return element_count_; }
  std::int64_t size_bytes() const { return size_bytes_; }

  const std::byte* bytes() const { return data_; }
  std::byte* mutable_bytes();

  /// The elements. T must be the C++ type of type() (bool and uint8_t are interchangeable, and
  /// uint16_t is used for 16-bit floats). The data must be aligned for T.
  template <typename T>
  std::span<const T> data() const;
  template <typename T>
  std::span<T> mutable_data();
  std::span<const std::string> strings() const;
  std::span<std::string> mutable_strings();

  bool is_aligned() const;
  /// This tensor, copied to aligned memory if it is a view of unaligned bytes.
  Tensor aligned() const;
  /// This tensor, copied if nothing keeps its data alive (a view without an owner).
  Tensor owned(MemoryCap* cap = nullptr) const;
  /// The same data with another shape of equal element count.
  Tensor reshaped(Shape shape) const;

  /// The file message with exactly this type, shape and content; null for a tensor created here.
  const TensorOrigin* origin() const { return origin_.get(); }
  void set_origin(std::shared_ptr<const TensorOrigin> origin) { origin_ = std::move(origin); }

 private:
  void check_type(DataType wanted, std::size_t element_bytes) const;

  DataType type_ = DataType::undefined;
  Shape shape_;
  std::int64_t element_count_ = 0;
  std::int64_t size_bytes_ = 0;
  const std::byte* data_ = nullptr;
  bool is_writable_ = false;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<std::vector<std::string>> strings_;
  std::shared_ptr<const TensorOrigin> origin_;
};

template <typename T>
std::span<const T> Tensor::data() const {
  check_type(DataTypeOf<T>::value, sizeof(T));
  return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(element_count_)};
}

template <typename T>
std::span<T> Tensor::mutable_data() {
  check_type(DataTypeOf<T>::value, sizeof(T));
  return {reinterpret_cast<T*>(mutable_bytes()), static_cast<std::size_t>(element_count_)};
}

template <typename T>
Tensor Tensor::of(Shape shape, std::span<const T> values) {
  Tensor tensor(DataTypeOf<T>::value, std::move(shape));
  ORTOOL_CHECK(static_cast<std::int64_t>(values.size()) == tensor.element_count());
  T* out = tensor.mutable_data<T>().data();
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return tensor;
}

}  // namespace ortool
