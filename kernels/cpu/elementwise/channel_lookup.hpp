// Per-channel lookup tables of int8 tensors: 256 entries per channel, in NCHW and NCHW16c.
#pragma once

#include <cstdint>

#include "kernels/cpu/elementwise/channel_lookup_loops.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// N images of C channels of `pixels` bytes each, and C × 256 table entries.
struct ChannelLookupSizes {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t pixels = 0;
};

/// out[n][c][i] = tables[c][in[n][c][i]]; `out` may be `in`. Bit-identical on all instruction sets.
void channel_lookup(const ChannelLookupSizes& sizes, const std::uint8_t* in,
                    const std::uint8_t* tables, std::uint8_t* out, Isa isa, Workers& workers);

/// The same for NCHW16c (Layout::blocked16). Padding channels of the last block use the last
/// channel's table.
void channel_lookup_nchwc(const ChannelLookupSizes& sizes, const std::uint8_t* in,
                          const std::uint8_t* tables, std::uint8_t* out, Isa isa, Workers& workers);

}  // namespace ortool::cpu
