// The functions on rows of bytes that a level has.
#include "kernels/cpu/epilogue/quantize_rows.hpp"

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

const ByteRowFunctions& byte_row_functions(Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return avx512::byte_row_functions;
    case Isa::avx2:
      return avx2::byte_row_functions;
    default:
      return baseline::byte_row_functions;
  }
}

}  // namespace ortool::cpu
