// Vectors of sixteen bytes, in the compiler's own vector types: for code that is compiled for any
// processor of the architecture.
#pragma once

#include <cstdint>
#include <cstring>

namespace ortool::cpu {

using ByteVector = std::uint8_t __attribute__((vector_size(16)));
using SignedByteVector = std::int8_t __attribute__((vector_size(16)));
using WordVector = std::uint16_t __attribute__((vector_size(16)));

template <typename T>
ByteVector load_sixteen(const T* from) {
  ByteVector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename T>
void store_sixteen(T* to, ByteVector value) {
  std::memcpy(to, &value, sizeof value);
}
/// Loads `count` bytes, followed by zeros.
template <int count>
ByteVector load_first(const std::uint8_t* from) {
  ByteVector value = {};
  std::memcpy(&value, from, count);
  return value;
}
inline ByteVector splat_bytes(std::uint8_t value) {
  return ByteVector{} + value;
}

/// a[0], b[0], a[1], b[1], … of the first (last) eight bytes of both.
inline ByteVector interleave_low(ByteVector a, ByteVector b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline ByteVector interleave_high(ByteVector a, ByteVector b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}
/// The same for pairs of bytes.
inline ByteVector interleave_pairs_low(ByteVector a, ByteVector b) {
  const auto x = reinterpret_cast<WordVector>(a);
  const auto y = reinterpret_cast<WordVector>(b);
  return reinterpret_cast<ByteVector>(__builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11));
}
inline ByteVector interleave_pairs_high(ByteVector a, ByteVector b) {
  const auto x = reinterpret_cast<WordVector>(a);
  const auto y = reinterpret_cast<WordVector>(b);
  return reinterpret_cast<ByteVector>(__builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15));
}
/// Every second byte of low and then of high, from the first (second) on.
inline ByteVector even_bytes(ByteVector low, ByteVector high) {
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                 30);
}
inline ByteVector odd_bytes(ByteVector low, ByteVector high) {
  return __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
                                 31);
}
/// 255 where a byte, read as signed, is negative; else 0.
inline ByteVector sign_bytes(ByteVector a) {
  return reinterpret_cast<ByteVector>(reinterpret_cast<SignedByteVector>(a) < 0);
}

}  // namespace ortool::cpu
