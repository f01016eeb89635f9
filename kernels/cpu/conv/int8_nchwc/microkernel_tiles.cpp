// Finds out whether there are tiles for blocked bytes.
#include "kernels/cpu/conv/int8_nchwc/microkernel_tiles.hpp"

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

const TiledByteFunctions* tiled_byte_functions(Isa isa) {
  return isa >= Isa::amx ? &amx_avx512::tiled_byte_functions : nullptr;
}

}  // namespace ortool::cpu
