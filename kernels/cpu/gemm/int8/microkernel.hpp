// Microkernel of the int8 GEMM: descriptor of one tile, and one function table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// c = a * b, exact in int32 (wrapping). Both operands are packed in 32-bit words along k, which
/// hold what the microkernel multiplies at once: four int8 values (a quad) or two int16 values.
struct Int8Tile {
  const int32_t* a;  ///< steps × rows
  const int32_t* b;  ///< steps × b_stride
  int64_t b_stride;
  int64_t steps;
  int32_t* c;
  int64_t c_stride;
  int32_t rows;     ///< 1 … max_rows of the microkernel
  int32_t vectors;  ///< columns to compute, in vectors
  /// Prefetch address; one 64-byte line per step.
  const uint8_t* prefetch;
  int64_t prefetch_lines;
  /// With `multiplies_signed`, what the products are added to: one of each column if rows are
  /// unsigned, otherwise one of each row. Other microkernels start at 0.
  const int32_t* starts;
};

/// An int8 plane and a small kernel: sums[row * out_columns + column]. Output rows are computed in
/// whole vectors, so up to a vector past each row is written. Padding is part of the input; up to
/// 64 bytes past the last window may be read.
struct Int8Plane {
  const uint8_t* in;
  int64_t in_stride;  ///< bytes between input rows
  int32_t column_stride;
  int32_t column_dilation;
  int32_t row_stride;
  int32_t row_dilation;
  int32_t kernel_rows;
  int32_t words;           ///< words of weights per kernel row: `group` columns each
  const int32_t* weights;  ///< kernel_rows × words, signed
  int64_t out_rows;
  int64_t out_columns;
  int32_t* sums;
};

/// The functions of an instruction set. One operand is unsigned and the other signed; zero points
/// are not applied here but by the caller.
struct Int8GemmFunctions {
  int32_t group;  ///< values per word: 4 or 2
  int32_t max_rows;
  int32_t lanes;                                ///< columns per vector
  int32_t max_columns;                          ///< columns per tile
  void (*signed_rows)(const Int8Tile& tile);    ///< a is signed, b unsigned
  void (*unsigned_rows)(const Int8Tile& tile);  ///< a is unsigned, b signed
  /// Null: none. Requires strides and dilations that satisfy is_small_window.
  void (*plane)(const Int8Plane& plane);
  /// Operands hold the words of two steps side by side: pairs of steps × rows × 2.
  bool pairs_steps = false;
  /// Unsigned values are packed 128 less; `starts` are 128 times the sums of the signed operand.
  bool multiplies_signed = false;
};

/// Whether the bytes that four adjacent windows read through one word span at most sixteen bytes.
constexpr bool is_small_window(int64_t stride, int64_t dilation, int64_t group) {
  return stride <= 4 && dilation <= 16 && 3 * stride + (group - 1) * dilation <= 15;
}

/// All microkernels that this processor can run, up to an instruction set, fastest first.
constexpr int max_int8_variants = 4;
int int8_gemm_variants(Isa isa, const Int8GemmFunctions* (&variants)[max_int8_variants]);

/// The fastest microkernel of this processor up to an instruction set. For avx512 this uses VNNI if
/// the processor has it. All are bit-identical.
ORTOOL_ISA_KERNEL(Int8GemmFunctions, int8_gemm_functions, baseline, dotprod, i8mm, avx2, avx512,
                  vnni)

}  // namespace ortool::cpu
