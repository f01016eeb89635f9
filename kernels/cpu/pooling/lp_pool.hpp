// LpPool (p-norm of each window), GlobalLpPool and MaxUnpool.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/pooling/pool.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// y = (the sum of |x|^p over the window's pixels)^(1/p), summed in float64; 0 for a window without
/// pixels. T: float, double.
template <typename T>
void lp_pool(const PoolSizes& sizes, double p, const T* x, T* y, Workers& workers);

/// The same for each of `planes` planes of `pixels` values.
template <typename T>
void global_lp_pool(std::int64_t planes, std::int64_t pixels, double p, const T* x, T* y,
                    Workers& workers);

/// Writes x[i] at indices[i] of a zero tensor of sizes `unpooled` and resizes it to `out`, both
/// aligned at the origin. Returns false, with `y` partly written, if an index lies outside
/// `unpooled` or its place outside `out`. Of equal indices the last one counts. Elements of 2, 4 or
/// 8 bytes.
bool max_unpool(std::int64_t count, const void* x, const std::int64_t* indices,
                std::span<const std::int64_t> unpooled, std::span<const std::int64_t> out,
                std::int64_t element_bytes, void* y, Workers& workers);

}  // namespace ortool::cpu
