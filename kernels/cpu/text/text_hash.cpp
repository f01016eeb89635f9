// Hashes of texts: MurmurHash64A, and FarmHash's Fingerprint64 by its four ranges of lengths.
#include "kernels/cpu/text/text_hash.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace ortool::cpu {
namespace {

std::uint64_t load64(const char* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::uint64_t load32(const char* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::uint64_t byte_at(const char* at) {
  return static_cast<unsigned char>(*at);
}

// The primes of FarmHash.
constexpr std::uint64_t k0 = 0xc3a5c85c97cb3127;
constexpr std::uint64_t k1 = 0xb492b66fbe98f273;
constexpr std::uint64_t k2 = 0x9ae16a3b2f90404f;

std::uint64_t shift_mix(std::uint64_t value) {
  return value ^ value >> 47U;
}

std::uint64_t hash_pair(std::uint64_t u, std::uint64_t v, std::uint64_t multiplier) {
  const std::uint64_t a = shift_mix((u ^ v) * multiplier);
  return shift_mix((v ^ a) * multiplier) * multiplier;
}

std::uint64_t farm_up_to_16(std::string_view text) {
  const std::size_t size = text.size();
  const char* at = text.data();
  const std::uint64_t multiplier = k2 + size * 2;
  if (size >= 8) {
    const std::uint64_t a = load64(at) + k2;
    const std::uint64_t b = load64(at + size - 8);
    const std::uint64_t c = std::rotr(b, 37) * multiplier + a;
    const std::uint64_t d = (std::rotr(a, 25) + b) * multiplier;
    return hash_pair(c, d, multiplier);
  }
  if (size >= 4) return hash_pair(size + (load32(at) << 3U), load32(at + size - 4), multiplier);
  if (size == 0) return k2;
  const std::uint64_t y = byte_at(at) + (byte_at(at + (size >> 1U)) << 8U);
  const std::uint64_t z = size + (byte_at(at + size - 1) << 2U);
  return shift_mix(y * k2 ^ z * k0) * k2;
}

std::uint64_t farm_up_to_32(std::string_view text) {
  const std::size_t size = text.size();
  const char* at = text.data();
  const std::uint64_t multiplier = k2 + size * 2;
  const std::uint64_t a = load64(at) * k1;
  const std::uint64_t b = load64(at + 8);
  const std::uint64_t c = load64(at + size - 8) * multiplier;
  const std::uint64_t d = load64(at + size - 16) * k2;
  return hash_pair(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c,
                   multiplier);
}

std::uint64_t farm_up_to_64(std::string_view text) {
  const std::size_t size = text.size();
  const char* at = text.data();
  const std::uint64_t multiplier = k2 + size * 2;
  const std::uint64_t a = load64(at) * k2;
  const std::uint64_t b = load64(at + 8);
  const std::uint64_t c = load64(at + size - 8) * multiplier;
  const std::uint64_t d = load64(at + size - 16) * k2;
  const std::uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const std::uint64_t z = hash_pair(y, a + std::rotr(b + k2, 18) + c, multiplier);
  const std::uint64_t e = load64(at + 16) * multiplier;
  const std::uint64_t f = load64(at + 24);
  const std::uint64_t g = (y + load64(at + size - 32)) * multiplier;
  const std::uint64_t h = (z + load64(at + size - 24)) * multiplier;
  return hash_pair(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g,
                   multiplier);
}

using Lanes = std::pair<std::uint64_t, std::uint64_t>;

/// Two sums of 32 bytes with two seeds.
Lanes weak_hash_32(const char* at, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t w = load64(at);
  const std::uint64_t x = load64(at + 8);
  const std::uint64_t y = load64(at + 16);
  const std::uint64_t z = load64(at + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  const std::uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

std::uint64_t farm_long(std::string_view text) {
  constexpr std::uint64_t seed = 81;
  const char* at = text.data();
  const std::size_t blocks = (text.size() - 1) / 64;
  const std::size_t rest = (text.size() - 1) % 64 + 1;
  const char* end = at + blocks * 64;
  std::uint64_t x = seed * k2 + load64(at);
  std::uint64_t y = seed * k1 + 113;
  std::uint64_t z = shift_mix(y * k2 + 113) * k2;
  Lanes v = {0, 0};
  Lanes w = {0, 0};
  for (; at != end; at += 64) {
    x = std::rotr(x + y + v.first + load64(at + 8), 37) * k1;
    y = std::rotr(y + v.second + load64(at + 48), 42) * k1;
    x ^= w.second;
    y += v.first + load64(at + 40);
    z = std::rotr(z + w.first, 33) * k1;
    v = weak_hash_32(at, v.second * k1, x + w.first);
    w = weak_hash_32(at + 32, z + w.second, y + load64(at + 16));
    std::swap(z, x);
  }
  const std::uint64_t multiplier = k1 + ((z & 0xffU) << 1U);
  at = text.data() + text.size() - 64;
  w.first += rest - 1;
  v.first += w.first;
  w.first += v.first;
  x = std::rotr(x + y + v.first + load64(at + 8), 37) * multiplier;
  y = std::rotr(y + v.second + load64(at + 48), 42) * multiplier;
  x ^= w.second * 9;
  y += v.first * 9 + load64(at + 40);
  z = std::rotr(z + w.first, 33) * multiplier;
  v = weak_hash_32(at, v.second * multiplier, x + w.first);
  w = weak_hash_32(at + 32, z + w.second, y + load64(at + 16));
  std::swap(z, x);
  return hash_pair(hash_pair(v.first, w.first, multiplier) + shift_mix(y) * k0 + z,
                   hash_pair(v.second, w.second, multiplier) + x, multiplier);
}

}  // namespace

std::uint64_t murmur_hash64(std::string_view text) {
  constexpr std::uint64_t seed = 0xdecafcaffe;
  constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed ^ text.size() * multiplier;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = load64(text.data()) * multiplier;
    word ^= word >> 47U;
    hash = (hash ^ word * multiplier) * multiplier;
  }
  // TensorFlow multiplies even when no byte is left.
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  hash = (hash ^ word) * multiplier;
  hash = (hash ^ hash >> 47U) * multiplier;
  return hash ^ hash >> 47U;
}

std::uint64_t farm_fingerprint64(std::string_view text) {
  if (text.size() <= 16) return farm_up_to_16(text);
  if (text.size() <= 32) return farm_up_to_32(text);
  return text.size() <= 64 ? farm_up_to_64(text) : farm_long(text);
}

}  // namespace ortool::cpu
