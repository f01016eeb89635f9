// Reorders of int8 tensors between NCHW and NCHW16c.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/reorder.hpp"

namespace ortool::cpu {

/// Int8 counterparts of reorder_to_nchwc and reorder_to_nchw.
void reorder_int8_to_nchwc(const ReorderSizes& sizes, const std::uint8_t* plain,
                           std::uint8_t* blocked, Workers& workers);
void reorder_int8_to_nchw(const ReorderSizes& sizes, const std::uint8_t* blocked,
                          std::uint8_t* plain, Workers& workers);

}  // namespace ortool::cpu
