// Finds out whether there are functions for blocked bytes.
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

const BlockedByteFunctions* blocked_byte_functions(Isa isa) {
  if (isa >= Isa::avx512 && has_avx512_vnni()) return &vnni_avx512::blocked_byte_functions;
  return isa >= Isa::avx2 ? &avx2::blocked_byte_functions : nullptr;
}

JoinedWindowFunction joined_window_function(Isa isa) {
  return isa >= Isa::amx ? amx_avx512::run_joined_window : nullptr;
}

}  // namespace ortool::cpu
