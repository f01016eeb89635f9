// Microkernel of the int8 GEMM: what one call computes, and a table for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// c = a * b, exact in int32 (wrapping). Both factors are packed as words of 32 bits that hold as
/// many neighbours along k as the variant multiplies at once: four bytes or two 16-bit numbers.
struct Int8Tile {
  const int32_t* a;  ///< steps × rows
  const int32_t* b;  ///< steps × b_stride
  int64_t b_stride;
  int64_t steps;
  int32_t* c;
  int64_t c_stride;
  int32_t rows;     ///< 1 … most_rows of the variant
  int32_t vectors;  ///< columns to compute, in vectors
  /// Lines of 64 bytes from here on that are brought near, one a step.
  const uint8_t* near;
  int64_t near_lines;
};

/// A plane of bytes under a small kernel: sums[row * out_columns + column] for output rows of
/// `vectors` whole vectors, so that up to a vector behind each row is written too. Pads are part of
/// the input; 64 bytes behind what the last window reads may be loaded.
struct Int8Plane {
  const uint8_t* in;
  int64_t in_stride;  ///< bytes from one input row to the next
  int32_t column_stride;
  int32_t column_dilation;
  int32_t row_stride;
  int32_t row_dilation;
  int32_t kernel_rows;
  int32_t words;           ///< of weights in a kernel row: `group` columns each
  const int32_t* weights;  ///< kernel_rows × words, signed
  int64_t out_rows;
  int64_t out_columns;
  int32_t* sums;
};

/// The functions of a level. One factor holds unsigned bytes, the other signed ones, each less
/// nothing: zero points are taken into account by who calls.
struct Int8GemmFunctions {
  int32_t group;  ///< numbers a word: 4 or 2
  int32_t most_rows;
  int32_t lanes;                                ///< columns of a vector
  int32_t most_columns;                         ///< of a tile
  void (*signed_rows)(const Int8Tile& tile);    ///< a is signed, b unsigned
  void (*unsigned_rows)(const Int8Tile& tile);  ///< a is unsigned, b signed
  /// Null: none. Takes strides and dilations of is_small_window.
  void (*plane)(const Int8Plane& plane);
};

/// Whether the bytes that four neighbouring windows read through one word lie within sixteen.
constexpr bool is_small_window(int64_t stride, int64_t dilation, int64_t group) {
  return stride <= 4 && dilation <= 16 && 3 * stride + (group - 1) * dilation <= 15;
}

/// All that this processor can run up to a level, best first.
constexpr int most_int8_variants = 4;
int int8_gemm_variants(Isa isa, const Int8GemmFunctions* (&variants)[most_int8_variants]);

/// The best functions for a level that this processor has. With the level avx512 they use its
/// instructions for bytes (VNNI) where the processor has them. All give the same bits.
ORTOOL_ISA_KERNEL(Int8GemmFunctions, int8_gemm_functions, baseline, avx2, avx512, vnni)

}  // namespace ortool::cpu
