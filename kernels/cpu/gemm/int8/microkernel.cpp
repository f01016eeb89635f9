// Lists the int8 GEMM microkernels that this processor can run.
#include "kernels/cpu/gemm/int8/microkernel.hpp"

#include "kernels/cpu/isa/architecture.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

int int8_gemm_variants(Isa isa, const Int8GemmFunctions* (&variants)[max_int8_variants]) {
  int count = 0;
  if (is_x86 && isa >= Isa::avx512) {
    if (has_avx512_vnni()) variants[count++] = &vnni::int8_gemm_functions;
    variants[count++] = &avx512::int8_gemm_functions;
  }
  if (is_x86 && isa >= Isa::avx2) variants[count++] = &avx2::int8_gemm_functions;
#if defined(__aarch64__)
  if (isa >= Isa::i8mm) variants[count++] = &i8mm::int8_gemm_functions;
  if (isa >= Isa::dotprod) variants[count++] = &dotprod::int8_gemm_functions;
#endif
  variants[count++] = &baseline::int8_gemm_functions;
  return count;
}

}  // namespace ortool::cpu
