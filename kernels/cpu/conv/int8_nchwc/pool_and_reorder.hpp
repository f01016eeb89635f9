// Bytes from plain to blocks of 16 channels and back, and pools of such blocks.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/reorder.hpp"
#include "kernels/cpu/pooling/pool_nchwc.hpp"

namespace ortool::cpu {

/// As reorder_to_blocked and reorder_to_plain of floats.
void reorder_bytes_to_blocked(const ReorderSizes& sizes, const std::uint8_t* plain,
                              std::uint8_t* blocked, Workers& workers);
void reorder_bytes_to_plain(const ReorderSizes& sizes, const std::uint8_t* blocked,
                            std::uint8_t* plain, Workers& workers);

/// The largest of each window, as max_pool has it. `flip` is 128 for int8, else 0.
void max_pool_blocked_bytes(const BlockedPoolSizes& sizes, std::uint8_t flip, const std::uint8_t* x,
                            std::uint8_t* y, Workers& workers);

}  // namespace ortool::cpu
