// Per-channel lookup tables: partitions rows of a channel (NCHW) or pixels of 16 channels
// (NCHW16c).
#include "kernels/cpu/elementwise/channel_lookup.hpp"

#include <algorithm>

#include "kernels/cpu/elementwise/lookup_table.hpp"
#include "kernels/cpu/isa/architecture.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {

namespace {

constexpr std::int64_t task_bytes = 32768;

void look_up_singly(const std::uint8_t* in, const std::uint8_t* table, std::int64_t count,
                    std::uint8_t* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = table[in[i]];
}

void look_up_pixels_singly(const std::uint8_t* in, const std::uint8_t* tables,
                           const std::int32_t* offsets, std::int64_t pixels, std::uint8_t* out) {
  for (std::int64_t i = 0; i < pixels * 16; ++i) out[i] = tables[offsets[i % 16] + in[i]];
}

LookupTableFunction row_function(Isa isa) {
  if (is_x86 && isa >= Isa::avx512 && has_avx512_vbmi()) return vbmi::look_up_table;
  return is_x86 && isa >= Isa::avx2 ? avx2::look_up_table : look_up_singly;
}

}  // namespace

void channel_lookup(const ChannelLookupSizes& sizes, const std::uint8_t* in,
                    const std::uint8_t* tables, std::uint8_t* out, Isa isa, Workers& workers) {
  const LookupTableFunction row = row_function(isa);
  const std::int64_t grain =
      std::max<std::int64_t>(1, task_bytes / std::max<std::int64_t>(1, sizes.pixels));
  workers.parallel_ranges(sizes.batch * sizes.channels, grain,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                              row(in + i * sizes.pixels, tables + 256 * (i % sizes.channels),
                                  sizes.pixels, out + i * sizes.pixels);
                            }
                          });
}

void channel_lookup_nchwc(const ChannelLookupSizes& sizes, const std::uint8_t* in,
                          const std::uint8_t* tables, std::uint8_t* out, Isa isa,
                          Workers& workers) {
  const auto look_up =
      is_x86 && isa >= Isa::avx512 ? avx512::look_up_pixels : look_up_pixels_singly;
  constexpr std::int64_t block = 16;
  const std::int64_t blocks = (sizes.channels + block - 1) / block;
  const std::int64_t grain = task_bytes / block;
  workers.parallel_ranges(
      sizes.batch * blocks * sizes.pixels, grain, [&](std::int64_t begin, std::int64_t end) {
        while (begin < end) {
          const std::int64_t first = begin / sizes.pixels % blocks * block;
          const std::int64_t behind = std::min(end, (begin / sizes.pixels + 1) * sizes.pixels);
          std::int32_t offsets[block];
          for (std::int64_t lane = 0; lane < block; ++lane) {
            offsets[lane] =
                static_cast<std::int32_t>(256 * std::min(first + lane, sizes.channels - 1));
          }
          look_up(in + begin * block, tables, offsets, behind - begin, out + begin * block);
          begin = behind;
        }
      });
}

}  // namespace ortool::cpu
