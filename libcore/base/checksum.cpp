// Checksum of eight lanes: each step is a bijection of the lane's state and of the word read.
#include "libcore/base/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace ortool {
namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t block_bytes = lanes * sizeof(std::uint64_t);
constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
constexpr std::uint64_t word_multiplier = 0xC2B2AE3D27D4EB4F;

using State = std::array<std::uint64_t, lanes>;

std::uint64_t step(std::uint64_t state, std::uint64_t word) {
  return std::rotl(state + word * word_multiplier, 31) * multiplier;
}

/// Spreads every bit over the whole word, so that lanes which differ in few bits do not cancel out.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 33U) * word_multiplier;
  bits = (bits ^ bits >> 29U) * multiplier;
  return bits ^ bits >> 32U;
}

void add_block(State& state, const std::byte* block) {
  std::array<std::uint64_t, lanes> words;
  std::memcpy(words.data(), block, block_bytes);
  for (std::size_t i = 0; i < lanes; ++i) state[i] = step(state[i], words[i]);
}

}  // namespace

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  State state;
  for (std::size_t i = 0; i < lanes; ++i) state[i] = (i + 1) * multiplier;
  std::size_t at = 0;
  for (; bytes.size() - at >= block_bytes; at += block_bytes) add_block(state, bytes.data() + at);
  if (at < bytes.size()) {
    std::array<std::byte, block_bytes> rest = {};
    std::memcpy(rest.data(), bytes.data() + at, bytes.size() - at);
    add_block(state, rest.data());
  }
  std::uint64_t sum = step(multiplier, bytes.size());
  for (const std::uint64_t lane : state) sum = step(sum, mix(lane));
  return mix(sum);
}

}  // namespace ortool
