// Sub-byte packing in groups of four elements, which fill whole bytes for every width.
#include "kernels/cpu/types/pack_subbyte.hpp"

#include <algorithm>
#include <cstring>

namespace ortool::cpu {
namespace {

constexpr std::int64_t groups_a_task = 16384;

/// The bytes of four packed elements as an integer, and the elements of such an integer.
template <int bits>
void unpack_group(std::uint32_t group, std::uint8_t* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint8_t>(group >> (i * bits) & ((1U << bits) - 1U));
}

template <int bits>
std::uint32_t pack_group(const std::uint8_t* in, std::int64_t count) {
  std::uint32_t group = 0;
  for (std::int64_t i = 0; i < count; ++i) group |= (in[i] & ((1U << bits) - 1U)) << (i * bits);
  return group;
}

template <int bits>
void unpack_range(const std::byte* in, std::uint8_t* out, std::int64_t count) {
  constexpr std::int64_t group_bytes = bits / 2;
  for (std::int64_t i = 0; i < count; i += 4) {
    const std::int64_t size = std::min<std::int64_t>(4, count - i);
    std::uint32_t group = 0;
    std::memcpy(&group, in + i / 4 * group_bytes,
                static_cast<std::size_t>(size == 4 ? group_bytes : (size * bits + 7) / 8));
    unpack_group<bits>(group, out + i, size);
  }
}

template <int bits>
void pack_range(const std::uint8_t* in, std::byte* out, std::int64_t count) {
  constexpr std::int64_t group_bytes = bits / 2;
  for (std::int64_t i = 0; i < count; i += 4) {
    const std::int64_t size = std::min<std::int64_t>(4, count - i);
    const std::uint32_t group = pack_group<bits>(in + i, size);
    std::memcpy(out + i / 4 * group_bytes, &group,
                static_cast<std::size_t>(size == 4 ? group_bytes : (size * bits + 7) / 8));
  }
}

/// Calls body(first element, its byte, elements) for ranges of whole groups.
template <typename Body>
void for_group_ranges(int bits, std::int64_t count, Workers& workers, Body body) {
  workers.parallel_ranges(
      (count + 3) / 4, groups_a_task, [&](std::int64_t begin, std::int64_t end) {
        body(begin * 4, begin * (bits / 2), std::min(end * 4, count) - begin * 4);
      });
}

}  // namespace

void unpack_elements(int bits, const std::byte* in, std::uint8_t* out, std::int64_t count,
                     Workers& workers) {
  const auto unpack = bits == 2 ? unpack_range<2> : bits == 4 ? unpack_range<4> : unpack_range<6>;
  for_group_ranges(bits, count, workers,
                   [&](std::int64_t first, std::int64_t byte, std::int64_t size) {
                     unpack(in + byte, out + first, size);
                   });
}

void pack_elements(int bits, const std::uint8_t* in, std::byte* out, std::int64_t count,
                   Workers& workers) {
  const auto pack = bits == 2 ? pack_range<2> : bits == 4 ? pack_range<4> : pack_range<6>;
  for_group_ranges(bits, count, workers,
                   [&](std::int64_t first, std::int64_t byte, std::int64_t size) {
                     pack(in + first, out + byte, size);
                   });
}

}  // namespace ortool::cpu
