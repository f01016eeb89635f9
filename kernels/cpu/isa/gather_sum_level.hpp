// Chooses the loops of weighted sums by instruction set.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/gather_sum.hpp"

namespace ortool::cpu {

inline void gather_sum(const GatherSum& sum, Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return avx512::gather_sum(sum);
    case Isa::avx2:
      return avx2::gather_sum(sum);
    default:
      return baseline::gather_sum(sum);
  }
}

}  // namespace ortool::cpu
