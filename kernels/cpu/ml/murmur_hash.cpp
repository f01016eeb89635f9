// MurmurHash3_x86_32: blocks of four bytes, the rest, and a final mix.
#include "kernels/cpu/ml/murmur_hash.hpp"

#include <bit>
#include <cstring>

namespace ortool::cpu {
namespace {

std::uint32_t mixed(std::uint32_t block) {
  return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

}  // namespace

std::uint32_t murmur_hash3(const void* data, std::size_t size, std::uint32_t seed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; at + 4 <= size; at += 4) {
    std::uint32_t block;
    std::memcpy(&block, bytes + at, 4);
    hash = std::rotl(hash ^ mixed(block), 13) * 5 + 0xe6546b64U;
  }
  std::uint32_t rest = 0;
  for (std::size_t i = size; i > at; --i) rest = rest << 8 | bytes[i - 1];
  hash ^= mixed(rest) ^ static_cast<std::uint32_t>(size);
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

}  // namespace ortool::cpu
