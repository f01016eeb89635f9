// Int8 GEMM packing: sixteen quads at once from contiguous rows, one by one otherwise.
#include "kernels/cpu/gemm/int8/pack.hpp"

#include <algorithm>
#include <cstring>
#include <immintrin.h>

namespace ortool::cpu {
namespace {

std::uint32_t number_bits(std::uint8_t byte, const Int8PackDesc& desc) {
  const auto flipped = static_cast<std::uint8_t>(byte ^ desc.flip);
  if (desc.group == 4 || !desc.is_signed) return std::uint32_t{flipped};
  return static_cast<std::uint32_t>(static_cast<std::int8_t>(flipped)) & 0xffffU;
}

/// Packs `count` values with stride `step` into a word, zero-padded.
std::int32_t word_of(const std::uint8_t* bytes, std::int64_t step, std::int64_t count,
                     const Int8PackDesc& desc) {
  const int bits = 32 / desc.group;
  std::uint32_t word = 0;
  for (std::int64_t i = 0; i < count; ++i)
    word |= number_bits(bytes[i * step], desc) << static_cast<unsigned>(i * bits);
  return static_cast<std::int32_t>(word);
}

void store(std::int32_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

__m128i load_sixteen(const std::uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

/// Loads contiguous values of a row: `count` of them into the low bytes.
struct Neighbors {
  static constexpr std::int64_t count = 16;
  static __m128i load(const std::uint8_t* from) { return load_sixteen(from); }
};
struct EightNeighbors {
  static constexpr std::int64_t count = 8;
  static __m128i load(const std::uint8_t* from) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
};
struct FourNeighbors {
  static constexpr std::int64_t count = 4;
  static __m128i load(const std::uint8_t* from) {
    std::int32_t word;
    std::memcpy(&word, from, sizeof word);
    return _mm_cvtsi32_si128(word);
  }
};
/// Loads every second byte; reads one byte past the last.
struct EverySecond {
  static constexpr std::int64_t count = 16;
  static __m128i load(const std::uint8_t* from) {
    const __m128i even = _mm_set1_epi16(255);
    return _mm_packus_epi16(_mm_and_si128(load_sixteen(from), even),
                            _mm_and_si128(load_sixteen(from + 16), even));
  }
};
/// Loads every second byte; reads one byte before the first.
struct EverySecondFromBehind {
  static constexpr std::int64_t count = 16;
  static __m128i load(const std::uint8_t* from) {
    return _mm_packus_epi16(_mm_srli_epi16(load_sixteen(from - 1), 8),
                            _mm_srli_epi16(load_sixteen(from + 15), 8));
  }
};

template <typename Loader>
void interleave_fours(const std::uint8_t* const (&rows)[4], std::int64_t first, __m128i flip,
                      std::int32_t* out) {
  const __m128i a = _mm_xor_si128(Loader::load(rows[0] + first), flip);
  const __m128i b = _mm_xor_si128(Loader::load(rows[1] + first), flip);
  const __m128i c = _mm_xor_si128(Loader::load(rows[2] + first), flip);
  const __m128i d = _mm_xor_si128(Loader::load(rows[3] + first), flip);
  const __m128i ab_low = _mm_unpacklo_epi8(a, b);
  const __m128i cd_low = _mm_unpacklo_epi8(c, d);
  store(out, _mm_unpacklo_epi16(ab_low, cd_low));
  if (Loader::count == 4) return;
  store(out + 4, _mm_unpackhi_epi16(ab_low, cd_low));
  if (Loader::count == 8) return;
  const __m128i ab_high = _mm_unpackhi_epi8(a, b);
  const __m128i cd_high = _mm_unpackhi_epi8(c, d);
  store(out + 8, _mm_unpacklo_epi16(ab_high, cd_high));
  store(out + 12, _mm_unpackhi_epi16(ab_high, cd_high));
}

template <typename Loader>
void interleave_pairs(const std::uint8_t* const (&rows)[4], std::int64_t first, __m128i flip,
                      bool is_signed, std::int32_t* out) {
  const __m128i a = _mm_xor_si128(Loader::load(rows[0] + first), flip);
  const __m128i b = _mm_xor_si128(Loader::load(rows[1] + first), flip);
  const auto widen = [&](__m128i bytes, std::int32_t* to, bool has_upper) {
    const __m128i upper =
        is_signed ? _mm_cmpgt_epi8(_mm_setzero_si128(), bytes) : _mm_setzero_si128();
    store(to, _mm_unpacklo_epi8(bytes, upper));
    if (has_upper) store(to + 4, _mm_unpackhi_epi8(bytes, upper));
  };
  widen(_mm_unpacklo_epi8(a, b), out, Loader::count > 4);
  if (Loader::count > 8) widen(_mm_unpackhi_epi8(a, b), out + 8, true);
}

/// Packs the words from element `i` on, as many as the loader provides.
template <typename Loader>
void interleave(const std::uint8_t* const (&rows)[4], std::int64_t i, std::int64_t stride,
                const Int8PackDesc& desc, __m128i flip, std::int32_t* out) {
  if (desc.group == 4) return interleave_fours<Loader>(rows, i * stride, flip, out + i);
  interleave_pairs<Loader>(rows, i * stride, flip, desc.is_signed, out + i);
}

/// Packs whole vectors, of which the last may overlap the one before; false if there are too few.
template <typename Loader>
bool interleave_all(const std::uint8_t* const (&rows)[4], std::int64_t count,
                    const Int8PackDesc& desc, __m128i flip, std::int32_t* out) {
  if (count < Loader::count) return false;
  for (std::int64_t i = 0; i + Loader::count < count; i += Loader::count)
    interleave<Loader>(rows, i, 1, desc, flip, out);
  interleave<Loader>(rows, count - Loader::count, 1, desc, flip, out);
  return true;
}

/// The same for every second byte.
bool interleave_seconds(const std::uint8_t* const (&rows)[4], std::int64_t count,
                        const Int8PackDesc& desc, __m128i flip, std::int32_t* out) {
  constexpr std::int64_t width = EverySecond::count;
  if (count <= width) return false;
  for (std::int64_t i = 0; i + width < count; i += width)
    interleave<EverySecond>(rows, i, 2, desc, flip, out);
  interleave<EverySecondFromBehind>(rows, count - width, 2, desc, flip, out);
  return true;
}

}  // namespace

void pack_int8_rows(const std::uint8_t* in, std::int64_t in_stride, std::int64_t rows,
                    std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                    std::int32_t* out) {
  const std::int64_t steps = desc.steps(k);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t at = step * desc.group;
    const std::int64_t count = std::min<std::int64_t>(desc.group, k - at);
    std::int32_t* to = out + step * width;
    if (desc.group == 4 && count == 4) {
      const std::uint32_t flip = 0x01010101U * desc.flip;
      for (std::int64_t row = 0; row < rows; ++row) {
        std::uint32_t word;
        std::memcpy(&word, in + row * in_stride + at, sizeof word);
        to[row] = static_cast<std::int32_t>(word ^ flip);
      }
    } else {
      for (std::int64_t row = 0; row < rows; ++row)
        to[row] = word_of(in + row * in_stride + at, 1, count, desc);
    }
    std::fill(to + rows, to + width, 0);
  }
}

void interleave_bytes(const std::uint8_t* const (&rows)[4], std::int64_t stride, std::int64_t count,
                      const Int8PackDesc& desc, std::int32_t* out) {
  const __m128i flips = _mm_set1_epi8(static_cast<char>(desc.flip));
  if (stride == 1 && (interleave_all<Neighbors>(rows, count, desc, flips, out) ||
                      interleave_all<EightNeighbors>(rows, count, desc, flips, out) ||
                      interleave_all<FourNeighbors>(rows, count, desc, flips, out)))
    return;
  if (stride == 2 && interleave_seconds(rows, count, desc, flips, out)) return;
  if (desc.group == 4) {
    const std::uint32_t flip = 0x01010101U * desc.flip;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = i * stride;
      const std::uint32_t word = std::uint32_t{rows[0][at]} | std::uint32_t{rows[1][at]} << 8U |
                                 std::uint32_t{rows[2][at]} << 16U |
                                 std::uint32_t{rows[3][at]} << 24U;
      out[i] = static_cast<std::int32_t>(word ^ flip);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = i * stride;
    out[i] = static_cast<std::int32_t>(number_bits(rows[0][at], desc) |
                                       number_bits(rows[1][at], desc) << 16U);
  }
}

void pack_int8_columns(const std::uint8_t* in, std::int64_t in_stride, std::int64_t columns,
                       std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                       std::int32_t* out) {
  const std::int64_t steps = desc.steps(k);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t at = step * desc.group;
    const std::uint8_t* first = in + at * in_stride;
    std::int32_t* to = out + step * width;
    if (k - at >= desc.group) {
      const std::uint8_t* rows[4] = {first, first + in_stride, first, first};
      if (desc.group == 4) {
        rows[2] = first + 2 * in_stride;
        rows[3] = first + 3 * in_stride;
      }
      interleave_bytes(rows, 1, columns, desc, to);
    } else {
      for (std::int64_t column = 0; column < columns; ++column)
        to[column] = word_of(first + column, in_stride, k - at, desc);
    }
    std::fill(to + columns, to + width, 0);
  }
}

void copy_flipped(const std::uint8_t* from, std::int64_t count, std::uint8_t flip,
                  std::uint8_t* to) {
  const __m128i flips = _mm_set1_epi8(static_cast<char>(flip));
  if (count >= 16) {
    const auto copy = [&](std::int64_t i) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_xor_si128(load_sixteen(from + i), flips));
    };
    for (std::int64_t i = 0; i + 16 < count; i += 16) copy(i);
    return copy(count - 16);
  }
  if (count >= 8) {
    for (const std::int64_t i : {std::int64_t{0}, count - 8}) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + i),
                       _mm_xor_si128(EightNeighbors::load(from + i), flips));
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(from[i] ^ flip);
}

std::int32_t sum_signed_bytes(const std::uint8_t* bytes, std::int64_t count, std::int64_t step,
                              std::uint8_t flip) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum += static_cast<std::uint32_t>(static_cast<std::int8_t>(bytes[i * step] ^ flip));
  return static_cast<std::int32_t>(sum);
}

std::int32_t splat_byte(std::uint8_t byte, const Int8PackDesc& desc) {
  return word_of(&byte, 0, desc.group, desc);
}

}  // namespace ortool::cpu
