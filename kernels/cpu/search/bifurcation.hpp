// Aggressive decoding: how many predicted tokens copy the source, and where the source goes on.
#pragma once

#include <cstdint>
#include <span>

namespace ortool::cpu {

/// The number of leading tokens that are the same in both.
std::int64_t common_prefix(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Where the source goes on after an n-gram that ends `tokens` and occurs in the source once: n
/// grows from `least` to `most` while it occurs. -1: nowhere, or in several places.
std::int64_t find_suffix(std::span<const std::int64_t> source, std::span<const std::int64_t> tokens,
                         std::int64_t least, std::int64_t most);

}  // namespace ortool::cpu
