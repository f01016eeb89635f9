// Counts and hash of a weight, computed in one pass over its bytes.
#include "libcore/inspect/weight_statistics.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "libcore/base/file/file.hpp"
#include "libcore/base/sha256.hpp"

namespace ortool {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

/// Counts of a block, in types for which the compiler can vectorize.
template <typename Bits>
void count_floats(std::span<const std::byte> bytes, Bits exponent, Bits mantissa,
                  WeightStatistics& counts) {
  Bits zeros = 0;
  Bits denormals = 0;
  Bits nans = 0;
  Bits infinities = 0;
  const std::size_t count = bytes.size() / sizeof(Bits);
  constexpr std::size_t max_in_a_block = std::size_t{1} << 14U;  // fits 16-bit counters
  for (std::size_t first = 0; first < count; first += max_in_a_block) {
    zeros = denormals = nans = infinities = 0;
    const std::size_t end = std::min(count, first + max_in_a_block);
    for (std::size_t i = first; i < end; ++i) {
      Bits bits = 0;
      std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
      const Bits high = bits & exponent;
      const Bits low = bits & mantissa;
      zeros = static_cast<Bits>(zeros + ((high | low) == 0 ? 1 : 0));
      denormals = static_cast<Bits>(denormals + (high == 0 && low != 0 ? 1 : 0));
      nans = static_cast<Bits>(nans + (high == exponent && low != 0 ? 1 : 0));
      infinities = static_cast<Bits>(infinities + (high == exponent && low == 0 ? 1 : 0));
    }
    counts.zeros += static_cast<std::int64_t>(zeros);
    counts.denormals += static_cast<std::int64_t>(denormals);
    counts.nans += static_cast<std::int64_t>(nans);
    counts.infinities += static_cast<std::int64_t>(infinities);
  }
}

template <typename Integer>
void count_zeros(std::span<const std::byte> bytes, WeightStatistics& counts) {
  for (std::size_t at = 0; at + sizeof(Integer) <= bytes.size(); at += sizeof(Integer)) {
    Integer value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(Integer));
    counts.zeros += value == 0 ? 1 : 0;
  }
}

void count_piece(DataType type, std::span<const std::byte> bytes, WeightStatistics& counts) {
  switch (type) {
    case DataType::float32:
      return count_floats<std::uint32_t>(bytes, 0x7f800000U, 0x007fffffU, counts);
    case DataType::float64:
      return count_floats<std::uint64_t>(bytes, 0x7ff0000000000000U, 0x000fffffffffffffU, counts);
    case DataType::float16:
      return count_floats<std::uint16_t>(bytes, std::uint16_t{0x7c00}, std::uint16_t{0x03ff},
                                         counts);
    case DataType::bfloat16:
      return count_floats<std::uint16_t>(bytes, std::uint16_t{0x7f80}, std::uint16_t{0x007f},
                                         counts);
    case DataType::int8:
    case DataType::uint8:
    case DataType::boolean:
      return count_zeros<std::uint8_t>(bytes, counts);
    case DataType::int16:
    case DataType::uint16:
      return count_zeros<std::uint16_t>(bytes, counts);
    case DataType::int32:
    case DataType::uint32:
      return count_zeros<std::uint32_t>(bytes, counts);
    case DataType::int64:
    case DataType::uint64:
      return count_zeros<std::uint64_t>(bytes, counts);
    default:
      return;
  }
}

}  // namespace

void WeightStatistics::add(const WeightStatistics& other) {
  zeros += other.zeros;
  denormals += other.denormals;
  nans += other.nans;
  infinities += other.infinities;
}

WeightStatistics scan_weight(const Tensor& tensor) {
  WeightStatistics statistics;
  Sha256 hash;
  if (tensor.type() == DataType::string) {
    for (const std::string& text : tensor.strings()) {
      const std::string framed = std::to_string(text.size()) + ":" + text;
      hash.update(std::as_bytes(std::span(framed.data(), framed.size())));
    }
  } else {
    const std::span<const std::byte> bytes(tensor.bytes(),
                                           static_cast<std::size_t>(tensor.size_bytes()));
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
      const auto piece = bytes.subspan(at, std::min(piece_bytes, bytes.size() - at));
      count_piece(tensor.type(), piece, statistics);
      hash.update(piece);
      drop_pages(piece);
    }
  }
  statistics.sha256 = hash.finish();
  return statistics;
}

std::vector<DuplicateGroup> find_duplicates(std::span<const Weight> weights,
                                            std::span<const WeightStatistics> statistics) {
  std::map<std::string, DuplicateGroup> groups;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].size_bytes() == 0) continue;
    std::string key = statistics[i].sha256;
    key.append(" ").append(name_of(weights[i].type)).append(" ");
    DuplicateGroup& group = groups[key + weights[i].shape.to_string()];
    if (!group.weights.empty()) group.wasted_bytes += weights[i].size_bytes();
    group.weights.push_back(i);
  }
  std::vector<DuplicateGroup> found;
  for (auto& [key, group] : groups) {
    if (group.weights.size() > 1) found.push_back(std::move(group));
  }
  std::sort(found.begin(), found.end(), [](const DuplicateGroup& a, const DuplicateGroup& b) {
    return a.wasted_bytes != b.wasted_bytes ? a.wasted_bytes > b.wasted_bytes
                                            : a.weights.front() < b.weights.front();
  });
  return found;
}

}  // namespace ortool
