// Int8 GEMM packing: sixteen quads at once from contiguous rows, one by one otherwise.
#include "kernels/cpu/gemm/int8/pack.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/isa/byte_vector.hpp"

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

void store(std::int32_t* to, ByteVector value) {
  store_sixteen(to, value);
}

/// Loads contiguous values of a row: `count` of them into the low bytes.
struct Neighbors {
  static constexpr std::int64_t count = 16;
  static ByteVector load(const std::uint8_t* from) { return load_sixteen(from); }
};
struct EightNeighbors {
  static constexpr std::int64_t count = 8;
  static ByteVector load(const std::uint8_t* from) { return load_first<count>(from); }
};
struct FourNeighbors {
  static constexpr std::int64_t count = 4;
  static ByteVector load(const std::uint8_t* from) { return load_first<count>(from); }
};
/// Loads every second byte; reads one byte past the last.
struct EverySecond {
  static constexpr std::int64_t count = 16;
  static ByteVector load(const std::uint8_t* from) {
    return even_bytes(load_sixteen(from), load_sixteen(from + 16));
  }
};
/// Loads every second byte; reads one byte before the first.
struct EverySecondFromBehind {
  static constexpr std::int64_t count = 16;
  static ByteVector load(const std::uint8_t* from) {
    return odd_bytes(load_sixteen(from - 1), load_sixteen(from + 15));
  }
};

template <typename Loader>
void interleave_fours(const std::uint8_t* const (&rows)[4], std::int64_t first, ByteVector flip,
                      std::int32_t* out) {
  const ByteVector a = Loader::load(rows[0] + first) ^ flip;
  const ByteVector b = Loader::load(rows[1] + first) ^ flip;
  const ByteVector c = Loader::load(rows[2] + first) ^ flip;
  const ByteVector d = Loader::load(rows[3] + first) ^ flip;
  const ByteVector ab_low = interleave_low(a, b);
  const ByteVector cd_low = interleave_low(c, d);
  store(out, interleave_pairs_low(ab_low, cd_low));
  if (Loader::count == 4) return;
  store(out + 4, interleave_pairs_high(ab_low, cd_low));
  if (Loader::count == 8) return;
  const ByteVector ab_high = interleave_high(a, b);
  const ByteVector cd_high = interleave_high(c, d);
  store(out + 8, interleave_pairs_low(ab_high, cd_high));
  store(out + 12, interleave_pairs_high(ab_high, cd_high));
}

template <typename Loader>
void interleave_pairs(const std::uint8_t* const (&rows)[4], std::int64_t first, ByteVector flip,
                      bool is_signed, std::int32_t* out) {
  const ByteVector a = Loader::load(rows[0] + first) ^ flip;
  const ByteVector b = Loader::load(rows[1] + first) ^ flip;
  const auto widen = [&](ByteVector bytes, std::int32_t* to, bool has_upper) {
    const ByteVector upper = is_signed ? sign_bytes(bytes) : ByteVector{};
    store(to, interleave_low(bytes, upper));
    if (has_upper) store(to + 4, interleave_high(bytes, upper));
  };
  widen(interleave_low(a, b), out, Loader::count > 4);
  if (Loader::count > 8) widen(interleave_high(a, b), out + 8, true);
}

/// Packs the words from element `i` on, as many as the loader provides.
template <typename Loader>
void interleave(const std::uint8_t* const (&rows)[4], std::int64_t i, std::int64_t stride,
                const Int8PackDesc& desc, ByteVector flip, std::int32_t* out) {
  if (desc.group == 4) return interleave_fours<Loader>(rows, i * stride, flip, out + i);
  interleave_pairs<Loader>(rows, i * stride, flip, desc.is_signed, out + i);
}

/// Packs whole vectors, of which the last may overlap the one before; false if there are too few.
template <typename Loader>
bool interleave_all(const std::uint8_t* const (&rows)[4], std::int64_t count,
                    const Int8PackDesc& desc, ByteVector flip, std::int32_t* out) {
  if (count < Loader::count) return false;
  for (std::int64_t i = 0; i + Loader::count < count; i += Loader::count)
    interleave<Loader>(rows, i, 1, desc, flip, out);
  interleave<Loader>(rows, count - Loader::count, 1, desc, flip, out);
  return true;
}

/// The same for every second byte.
bool interleave_seconds(const std::uint8_t* const (&rows)[4], std::int64_t count,
                        const Int8PackDesc& desc, ByteVector flip, std::int32_t* out) {
  constexpr std::int64_t width = EverySecond::count;
  if (count <= width) return false;
  for (std::int64_t i = 0; i + width < count; i += width)
    interleave<EverySecond>(rows, i, 2, desc, flip, out);
  interleave<EverySecondFromBehind>(rows, count - width, 2, desc, flip, out);
  return true;
}

/// Words of eight values, two of `group` 4 each.
void pack_paired_rows(const std::uint8_t* in, std::int64_t in_stride, std::int64_t rows,
                      std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                      std::int32_t* out) {
  const std::uint64_t flip = 0x0101010101010101U * desc.flip;
  for (std::int64_t at = 0; at < k; at += 8, out += 2 * width) {
    const std::int64_t count = std::min<std::int64_t>(8, k - at);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::uint8_t* from = in + row * in_stride + at;
      std::int32_t* to = out + 2 * row;
      if (count == 8) {
        std::uint64_t bytes;
        std::memcpy(&bytes, from, sizeof bytes);
        bytes ^= flip;
        std::memcpy(to, &bytes, sizeof bytes);
      } else {
        to[0] = word_of(from, 1, std::min<std::int64_t>(count, 4), desc);
        to[1] = count > 4 ? word_of(from + 4, 1, count - 4, desc) : 0;
      }
    }
    std::fill(out + 2 * rows, out + 2 * width, 0);
  }
}

}  // namespace

void pair_steps(std::int64_t steps, std::int64_t width, std::int32_t* words) {
  std::int32_t both[2 * max_paired_width];
  for (std::int64_t step = 0; step < steps; step += 2, words += 2 * width) {
    std::copy_n(words, 2 * width, both);
    for (std::int64_t i = 0; i < width; ++i) {
      words[2 * i] = both[i];
      words[2 * i + 1] = both[width + i];
    }
  }
}

void pack_int8_rows(const std::uint8_t* in, std::int64_t in_stride, std::int64_t rows,
                    std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                    std::int32_t* out) {
  if (desc.pairs_steps) return pack_paired_rows(in, in_stride, rows, width, k, desc, out);
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
  const ByteVector flips = splat_bytes(desc.flip);
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
  const std::int64_t words = (k + desc.group - 1) / desc.group;
  for (std::int64_t step = 0; step < words; ++step) {
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
  if (!desc.pairs_steps) return;
  std::fill(out + words * width, out + steps * width, 0);
  pair_steps(steps, width, out);
}

void copy_flipped(const std::uint8_t* from, std::int64_t count, std::uint8_t flip,
                  std::uint8_t* to) {
  const ByteVector flips = splat_bytes(flip);
  if (count >= 16) {
    const auto copy = [&](std::int64_t i) {
      store_sixteen(to + i, load_sixteen(from + i) ^ flips);
    };
    for (std::int64_t i = 0; i + 16 < count; i += 16) copy(i);
    return copy(count - 16);
  }
  if (count >= 8) {
    for (const std::int64_t i : {std::int64_t{0}, count - 8}) {
      const ByteVector eight = EightNeighbors::load(from + i) ^ flips;
      std::memcpy(to + i, &eight, 8);
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
