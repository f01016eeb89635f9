// N-gram hashes: products of ids and multipliers, combined by exclusive or, modulo a table's size.
#include "kernels/cpu/ml/ngram_hash.hpp"

#include <type_traits>

namespace ortool::cpu {
namespace {

/// One sequence with the ids before it, which have negative positions.
template <typename T>
struct NGramSequence {
  const NGramHash& hash;
  const T* ids;
  const T* past;
  const std::int32_t* segments;

  T at(std::int64_t position) const {
    if (position >= 0) return ids[position];
    const std::int64_t before = position + hash.longest - 1;
    return past != nullptr && before >= 0 ? past[before] : static_cast<T>(hash.missing);
  }
  /// The first position of the segment that holds `position`, if one begins after position 0.
  std::int64_t segment_start(std::int64_t position) const {
    const std::int64_t outside = -hash.longest;
    if (segments == nullptr) return outside;
    for (std::int64_t i = position; i > 0; --i) {
      if (segments[i] != segments[i - 1]) return i;
    }
    return outside;
  }
  /// The last end of a sequence before `position` that its n-grams may reach.
  std::int64_t last_end(std::int64_t position) const {
    const std::int64_t outside = position - hash.longest;
    if (!hash.resets) return outside;
    for (std::int64_t i = position - 1; i > outside; --i) {
      if (at(i) == static_cast<T>(hash.end)) return i;
    }
    return outside;
  }
};

/// The remainder with the sign of the divisor, which is positive.
template <typename T>
T floored_remainder(T value, T divisor) {
  const T rest = static_cast<T>(value % divisor);
  return rest < 0 ? static_cast<T>(rest + divisor) : rest;
}

template <typename T>
void hash_position(const NGramSequence<T>& sequence, const NGramOperands<T>& operands,
                   std::int64_t position, T* out) {
  using Bits = std::make_unsigned_t<T>;
  const NGramHash& hash = sequence.hash;
  const std::int64_t start = sequence.segment_start(position);
  const std::int64_t end = sequence.last_end(position);
  Bits mix = 0;
  for (std::int64_t shift = 0; shift < hash.longest; ++shift) {
    const std::int64_t from = position - shift;
    T id = from < start ? static_cast<T>(hash.missing) : sequence.at(from);
    if (shift > 0 && from <= end) id = static_cast<T>(hash.end);
    mix ^= static_cast<Bits>(id) * static_cast<Bits>(operands.multipliers[shift]);
    for (std::int64_t head = 0; shift > 0 && head < hash.heads; ++head) {
      const std::int64_t index = (shift - 1) * hash.heads + head;
      const T rest = floored_remainder(static_cast<T>(mix), operands.sizes[index]);
      const T offset = operands.offsets != nullptr ? operands.offsets[index] : T{0};
      out[index] = static_cast<T>(static_cast<Bits>(rest) + static_cast<Bits>(offset));
    }
  }
}

}  // namespace

template <typename T>
void ngram_hash(const NGramHash& hash, const NGramOperands<T>& operands, T* hashes, T* present,
                Workers& workers) {
  constexpr std::int64_t positions_a_task = 256;
  const std::int64_t kept = hash.longest - 1;
  const std::int64_t count = kept * hash.heads;
  const auto sequence = [&](std::int64_t index) {
    return NGramSequence<T>{
        hash, operands.ids + index * hash.length,
        operands.past != nullptr ? operands.past + index * kept : nullptr,
        operands.segments != nullptr ? operands.segments + index * hash.length : nullptr};
  };
  workers.parallel_ranges(
      hash.batch * hash.length, positions_a_task, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          hash_position(sequence(i / hash.length), operands, i % hash.length, hashes + i * count);
      });
  for (std::int64_t i = 0; present != nullptr && i < hash.batch * kept; ++i)
    present[i] = sequence(i / kept).at(hash.length - kept + i % kept);
}

template void ngram_hash(const NGramHash&, const NGramOperands<std::int32_t>&, std::int32_t*,
                         std::int32_t*, Workers&);
template void ngram_hash(const NGramHash&, const NGramOperands<std::int64_t>&, std::int64_t*,
                         std::int64_t*, Workers&);

}  // namespace ortool::cpu
