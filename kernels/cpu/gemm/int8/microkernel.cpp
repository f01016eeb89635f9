// Lists the int8 GEMM microkernels that this processor can run.
#include "kernels/cpu/gemm/int8/microkernel.hpp"

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

int byte_tile_variants(Isa isa, const ByteTileFunctions* (&variants)[most_byte_variants]) {
  int count = 0;
  if (isa >= Isa::avx512) {
    if (has_avx512_vnni()) variants[count++] = &vnni::byte_tile_functions;
    variants[count++] = &avx512::byte_tile_functions;
  }
  if (isa >= Isa::avx2) variants[count++] = &avx2::byte_tile_functions;
  variants[count++] = &baseline::byte_tile_functions;
  return count;
}

}  // namespace ortool::cpu
