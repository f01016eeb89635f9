// Max pooling of int8 tensors in NCHW16c.
#pragma once

#include <cstdint>

#include "kernels/cpu/pooling/pool_nchwc.hpp"

namespace ortool::cpu {

/// The maximum of each window; see max_pool. `flip` is 128 for int8, else 0.
void max_pool_int8_nchwc(const NchwcPoolSizes& sizes, std::uint8_t flip, const std::uint8_t* x,
                         std::uint8_t* y, Workers& workers);

}  // namespace ortool::cpu
