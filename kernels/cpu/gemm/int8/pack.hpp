// Int8 GEMM packing: converts rows of int8 to the quads that gemm/int8/microkernel.hpp reads.
#pragma once

#include <cstdint>

namespace ortool::cpu {

/// How bytes are packed into words: each is XORed with `flip` and read as signed or unsigned;
/// `group` (4 or 2) values form a word.
struct Int8PackDesc {
  std::uint8_t flip = 0;
  bool is_signed = false;
  std::int32_t group = 4;

  std::int64_t steps(std::int64_t k) const { return (k + group - 1) / group; }
};

/// out[step * width + row] = the word of `in` (row-major, row stride `in_stride`) at k = step *
/// group. Zero past k, and for rows up to `width`.
void pack_int8_rows(const std::uint8_t* in, std::int64_t in_stride, std::int64_t rows,
                    std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                    std::int32_t* out);

/// The same for a matrix whose rows run along k: out[step * width + column].
void pack_int8_columns(const std::uint8_t* in, std::int64_t in_stride, std::int64_t columns,
                       std::int64_t width, std::int64_t k, const Int8PackDesc& desc,
                       std::int32_t* out);

/// out[i] = the word of rows[0][i * stride] … rows[group - 1][i * stride] for i < count.
void interleave_bytes(const std::uint8_t* const (&rows)[4], std::int64_t stride, std::int64_t count,
                      const Int8PackDesc& desc, std::int32_t* out);

/// The word with `byte` in all elements.
std::int32_t splat_byte(std::uint8_t byte, const Int8PackDesc& desc);

/// to[i] = from[i] ^ flip; the two do not overlap.
void copy_flipped(const std::uint8_t* from, std::int64_t count, std::uint8_t flip,
                  std::uint8_t* to);

/// The sum of `count` bytes with stride `step`, flipped and read as signed; modulo 2^32.
std::int32_t sum_signed_bytes(const std::uint8_t* bytes, std::int64_t count, std::int64_t step,
                              std::uint8_t flip);

}  // namespace ortool::cpu
