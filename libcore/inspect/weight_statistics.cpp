// Looking at bits, and at equal hashes byte by byte.
#include "libcore/inspect/weight_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace ortool {
namespace {

template <typename Bits>
std::int64_t count_denormals(const Tensor& tensor, Bits exponent, Bits mantissa) {
  std::int64_t count = 0;
  const std::byte* bytes = tensor.bytes();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
    count += (bits & exponent) == 0 && (bits & mantissa) != 0 ? 1 : 0;
  }
  return count;
}

/// A quick hash of a tensor's bytes; equal hashes are compared byte by byte.
std::uint64_t hash_bytes(const Tensor& tensor) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U ^ static_cast<std::uint64_t>(tensor.size_bytes());
  const std::byte* bytes = tensor.bytes();
  auto left = static_cast<std::size_t>(tensor.size_bytes());
  while (left > 0) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min<std::size_t>(left, sizeof(word));
    std::memcpy(&word, bytes, taken);
    hash = std::rotl((hash ^ word) * 0xff51afd7ed558ccdU, 29);
    bytes += taken;
    left -= taken;
  }
  return hash;
}

}  // namespace

std::int64_t count_denormals(const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::float32:
      return count_denormals<std::uint32_t>(tensor, 0x7f800000U, 0x007fffffU);
    case DataType::float64:
      return count_denormals<std::uint64_t>(tensor, 0x7ff0000000000000U, 0x000fffffffffffffU);
    case DataType::float16:
      return count_denormals<std::uint16_t>(tensor, std::uint16_t{0x7c00}, std::uint16_t{0x03ff});
    case DataType::bfloat16:
      return count_denormals<std::uint16_t>(tensor, std::uint16_t{0x7f80}, std::uint16_t{0x007f});
    default:
      return 0;
  }
}

std::int64_t count_duplicate_bytes(std::span<const Weight> weights) {
  std::unordered_multimap<std::uint64_t, const Tensor*> seen;
  std::int64_t bytes = 0;
  for (const Weight& weight : weights) {
    if (weight.tensor->size_bytes() == 0) continue;
    const Tensor& tensor = *weight.tensor;
    const std::uint64_t hash = hash_bytes(tensor);
    const auto [first, last] = seen.equal_range(hash);
    const bool is_copy = std::any_of(first, last, [&](const auto& entry) {
      const Tensor& other = *entry.second;
      return other.type() == tensor.type() && other.shape() == tensor.shape() &&
             std::memcmp(other.bytes(), tensor.bytes(),
                         static_cast<std::size_t>(tensor.size_bytes())) == 0;
    });
    if (is_copy) {
      bytes += tensor.size_bytes();
    } else {
      seen.emplace(hash, &tensor);
    }
  }
  return bytes;
}

}  // namespace ortool
