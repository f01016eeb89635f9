// Row loops of Cast and Where, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/types/element_type.hpp"

namespace ortool::cpu {

/// A row of Where over elements of 4 or 8 bytes; a step of 0 repeats the first element.
struct WhereRow {
  const uint8_t* condition;  ///< bytes of 0 or 1, one for each element
  const void* a;
  const void* b;
  int64_t a_step;
  int64_t b_step;
  void* out;  ///< may be an operand whose step is 1
  int64_t count;
};

struct CastRowFunctions {
  /// Converts as `convert_number` does; false for pairs other than those of float32, int8, int32,
  /// int64 and uint8.
  bool (*cast)(NumberType from, NumberType to, const void* in, void* out, int64_t count);
  /// out[i] = in[i] != 0; false for types other than these.
  bool (*cast_to_bool)(NumberType from, const void* in, uint8_t* out, int64_t count);
  void (*where)(const WhereRow& row, int64_t element_bytes);
};

ORTOOL_ISA_KERNEL_OR_NULL(CastRowFunctions, cast_row_functions, avx2, avx512)

}  // namespace ortool::cpu
