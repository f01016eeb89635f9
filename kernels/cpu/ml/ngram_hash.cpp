// N-gram hashes: products of ids and multipliers, combined by exclusive or, modulo a table's size.
#include "kernels/cpu/ml/ngram_hash.hpp"

#include <algorithm>
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
  const std::int32_t* past_segments;
  std::int64_t length;

  T at(std::int64_t position) const {
    if (position >= 0) return ids[position];
    const std::int64_t before = position + hash.longest - 1;
    return past != nullptr && before >= 0 ? past[before] : static_cast<T>(hash.missing);
  }
  /// Missing ids have the segment of the first one.
  std::int32_t segment_at(std::int64_t position) const {
    if (segments == nullptr) return 0;
    if (position >= 0) return segments[position];
    const std::int64_t before = position + hash.longest - 1;
    return past_segments != nullptr && before >= 0 ? past_segments[before] : segments[0];
  }
  /// The first position of the segment that holds `position`, if its begin is known.
  std::int64_t segment_start(std::int64_t position) const {
    const std::int64_t outside = -hash.longest;
    if (segments == nullptr) return outside;
    const std::int64_t first = past_segments != nullptr ? 1 - hash.longest : 0;
    for (std::int64_t i = position; i > first; --i) {
      if (segment_at(i) != segment_at(i - 1)) return i;
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

/// All sequences, and where each id belongs.
template <typename T>
class NGramBatch {
 public:
  NGramBatch(const NGramHash& hash, const NGramOperands<T>& operands)
      : hash_(hash), operands_(operands) {}

  std::int64_t ids() const {
    return operands_.bounds != nullptr ? hash_.length : hash_.batch * hash_.length;
  }
  std::int64_t start(std::int64_t index) const {
    return operands_.bounds != nullptr ? operands_.bounds[index] : index * hash_.length;
  }
  /// The sequence that holds an id.
  std::int64_t sequence_of(std::int64_t id) const {
    if (operands_.bounds == nullptr) return id / hash_.length;
    const std::int32_t* const first = operands_.bounds;
    return std::upper_bound(first, first + hash_.batch, id) - first - 1;
  }
  NGramSequence<T> sequence(std::int64_t index) const {
    const std::int64_t from = start(index);
    const std::int64_t kept = index * (hash_.longest - 1);
    const auto at = [](auto* data, std::int64_t offset) {
      return data != nullptr ? data + offset : nullptr;
    };
    return {hash_,
            operands_.ids + from,
            at(operands_.past, kept),
            at(operands_.segments, from),
            at(operands_.past_segments, kept),
            start(index + 1) - from};
  }
  /// How many states of a sequence are captured.
  std::int64_t captured(std::int64_t index) const {
    const std::int64_t most = std::min(hash_.capacity, sequence(index).length);
    return std::clamp<std::int64_t>(operands_.captured[index], 0, most);
  }

 private:
  const NGramHash& hash_;
  const NGramOperands<T>& operands_;
};

}  // namespace

template <typename T>
void ngram_hash(const NGramHash& hash, const NGramOperands<T>& operands,
                const NGramOutputs<T>& outputs, Workers& workers) {
  constexpr std::int64_t positions_a_task = 256;
  const std::int64_t kept = hash.longest - 1;
  const std::int64_t count = kept * hash.heads;
  const NGramBatch<T> batch(hash, operands);
  workers.parallel_ranges(batch.ids(), positions_a_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t index = batch.sequence_of(i);
      hash_position(batch.sequence(index), operands, i - batch.start(index),
                    outputs.hashes + i * count);
    }
  });
  for (std::int64_t i = 0; i < hash.batch * kept; ++i) {
    const NGramSequence<T> sequence = batch.sequence(i / kept);
    const std::int64_t position = sequence.length - kept + i % kept;
    if (outputs.present != nullptr) outputs.present[i] = sequence.at(position);
    if (outputs.present_segments != nullptr)
      outputs.present_segments[i] = sequence.segment_at(position);
  }
  const std::int64_t states = outputs.states != nullptr ? hash.batch * hash.capacity : 0;
  for (std::int64_t i = 0; i < states; ++i) {
    const std::int64_t index = i / hash.capacity;
    const std::int64_t step = i % hash.capacity;
    const bool is_captured = step < batch.captured(index);
    const NGramSequence<T> sequence = batch.sequence(index);
    for (std::int64_t k = 0; k < kept; ++k)
      outputs.states[i * kept + k] =
          is_captured ? sequence.at(step + 1 - kept + k) : static_cast<T>(hash.pad);
  }
}

template void ngram_hash(const NGramHash&, const NGramOperands<std::int32_t>&,
                         const NGramOutputs<std::int32_t>&, Workers&);
template void ngram_hash(const NGramHash&, const NGramOperands<std::int64_t>&,
                         const NGramOutputs<std::int64_t>&, Workers&);

}  // namespace ortool::cpu
