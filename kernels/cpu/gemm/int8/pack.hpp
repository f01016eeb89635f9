// Int8 GEMM packing: converts rows of int8 to the quads that gemm/int8/microkernel.hpp reads.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/int8/microkernel.hpp"

namespace ortool::cpu {

/// How bytes are packed into words: each is XORed with `flip` and read as signed or unsigned;
/// `group` (4 or 2) values form a word. With `pairs_steps`, the number of steps is even, and the
/// words of steps 2 * i and 2 * i + 1 of a row are neighbors.
struct Int8PackDesc {
  std::uint8_t flip = 0;
  bool is_signed = false;
  std::int32_t group = 4;
  bool pairs_steps = false;

  /// An operand of `tile` whose values have the sign after the flip.
  static Int8PackDesc of(const Int8GemmFunctions& tile, bool is_signed, std::uint8_t flip = 0) {
    const bool shifts = tile.multiplies_signed && !is_signed;
    return {.flip = static_cast<std::uint8_t>(shifts ? flip ^ 128 : flip),
            .is_signed = is_signed || shifts,
            .group = tile.group,
            .pairs_steps = tile.pairs_steps};
  }

  std::int64_t steps(std::int64_t k) const {
    const std::int64_t words = (k + group - 1) / group;
    return pairs_steps ? words + words % 2 : words;
  }
};

/// out[step * width + row] = the word of `in` (row-major, row stride `in_stride`) at k = step *
/// group; with `pairs_steps`, out[step / 2 * 2 * width + 2 * row + step % 2]. Zero past k, and for
/// rows up to `width`.
void pack_int8_rows(const std::uint8_t* in, std::int64_t in_stride, std::int64_t rows,
                    std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                    std::int32_t* out);

/// The same for a matrix whose rows run along k, column by column in place of row by row; `width`
/// is at most max_paired_width with `pairs_steps`.
void pack_int8_columns(const std::uint8_t* in, std::int64_t in_stride, std::int64_t columns,
                       std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                       std::int32_t* out);

constexpr std::int64_t max_paired_width = 48;

/// Makes neighbors of the words of two steps each, in a panel of an even number of steps whose
/// words are as without `pairs_steps`.
void pair_steps(std::int64_t steps, std::int64_t width, std::int32_t* words);

/// out[i] = the word of rows[0][i * stride] … rows[group - 1][i * stride] for i < count.
void interleave_bytes(const std::uint8_t* const (&rows)[4], std::int64_t stride, std::int64_t count,
                      const Int8PackDesc& desc, std::int32_t* out);

/// The word with `byte` in all elements.
std::int32_t splat_byte(std::uint8_t byte, const Int8PackDesc& desc);

/// to[i] = from[i] ^ flip; the two do not overlap.
void copy_flipped(const std::uint8_t* from, std::int64_t count, std::uint8_t flip,
                  std::uint8_t* to);

/// Modulo 2^32.
constexpr std::int32_t times_128(std::int32_t sum) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) << 7U);
}

/// The sum of `count` bytes with stride `step`, flipped and read as signed; modulo 2^32.
std::int32_t sum_signed_bytes(const std::uint8_t* bytes, std::int64_t count, std::int64_t step,
                              std::uint8_t flip);

}  // namespace ortool::cpu
