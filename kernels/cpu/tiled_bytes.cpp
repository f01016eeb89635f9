// Finds out whether there are tiles for blocked bytes.
#include "kernels/cpu/tiled_bytes.hpp"

#include "kernels/cpu/cpu_features.hpp"

namespace ortool::cpu {

const TiledByteFunctions* tiled_byte_functions(Isa isa) {
  return isa >= Isa::amx ? &amx_avx512::tiled_byte_functions : nullptr;
}

}  // namespace ortool::cpu
