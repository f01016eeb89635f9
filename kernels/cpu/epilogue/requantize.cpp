// The function that finishes sums of bytes on a level.
#include "kernels/cpu/epilogue/requantize.hpp"

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

FinishBytes finish_bytes_function(Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return avx512::finish_bytes;
    case Isa::avx2:
      return avx2::finish_bytes;
    default:
      return baseline::finish_bytes;
  }
}

}  // namespace ortool::cpu
