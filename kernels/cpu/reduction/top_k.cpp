// TopK on sort keys (unsigned, in the order of the elements): candidates collect in a buffer; when
// it is full, all but the best k are dropped, and the worst of these becomes the threshold. A few
// best are kept sorted instead. Adjacent floats that do not pass the threshold are skipped.
#include "kernels/cpu/reduction/top_k.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "kernels/cpu/reduction/reduce_rows.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "kernels/cpu/types/sort_key.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t min_buffer = 16;
constexpr std::int64_t key_block = 16;
constexpr std::int64_t top_k_task_elements = 16384;

template <typename Key>
struct Candidate {
  Key key;
  std::int64_t index;

  bool operator<(const Candidate& other) const {
    return key != other.key ? key > other.key : index < other.index;
  }
};

std::int64_t buffer_size(const TopKSizes& sizes) {
  return std::min(sizes.axis, std::max(2 * sizes.k, min_buffer));
}

/// Up to this many are kept sorted, since a candidate that enters moves half of them.
constexpr std::int64_t few = 32;
/// Elements that are passed over between two looks at whether to stop.
constexpr std::int64_t skipped_a_poll = 65536;

/// select_line() of few: `buffer` is sorted at any time.
template <typename T>
void select_few(const T* in, const TopKSizes& sizes, OrderKey<T> flip,
                Candidate<OrderKey<T>>* buffer, const ReduceRowFunctions& rows,
                const Workers& workers) {
  using Key = OrderKey<T>;
  const auto key_of = [&](std::int64_t i) {
    return static_cast<Key>(sort_key(in[i * sizes.inner]) ^ flip);
  };
  for (std::int64_t i = 0; i < sizes.k; ++i) buffer[i] = {key_of(i), i};
  std::sort(buffer, buffer + sizes.k);
  Candidate<Key>* const worst = buffer + sizes.k - 1;
  // The first element from `i` on that may be better than the worst.
  const auto next_from = [&](std::int64_t i) {
    if (i % skipped_a_poll == 0) workers.poll();
    if constexpr (std::is_same_v<T, float>) {
      while (sizes.inner == 1 && i < sizes.axis) {
        const std::int64_t count = std::min(skipped_a_poll, sizes.axis - i);
        const std::int64_t skipped = rows.first_beyond(flip == 0, in + i, count, in[worst->index]);
        i += skipped;
        if (skipped < count) break;
        workers.poll();
      }
    }
    return i;
  };
  for (std::int64_t i = next_from(sizes.k); i < sizes.axis; i = next_from(i + 1)) {
    const Candidate<Key> candidate = {key_of(i), i};
    // A later element that is equal ranks lower.
    if (candidate.key <= worst->key) continue;
    Candidate<Key>* to = worst;
    for (; to != buffer && candidate < to[-1]; --to) *to = to[-1];
    *to = candidate;
  }
}

/// The best k of a line with stride `inner`, sorted, at the start of `buffer`.
template <typename T>
void select_line(const T* in, const TopKSizes& sizes, OrderKey<T> flip,
                 Candidate<OrderKey<T>>* buffer, const ReduceRowFunctions& rows,
                 const Workers& workers) {
  using Key = OrderKey<T>;
  constexpr std::uint32_t comparisons_a_poll = 8192;
  std::uint32_t comparisons = 0;
  const auto is_before = [&](const auto& a, const auto& b) {
    if (++comparisons % comparisons_a_poll == 0) workers.poll();
    return a < b;
  };
  if (sizes.k <= few) return select_few(in, sizes, flip, buffer, rows, workers);
  const std::int64_t capacity = buffer_size(sizes);
  std::int64_t filled = 0;
  Key threshold = 0;
  std::int64_t threshold_index = 0;
  bool has_threshold = false;
  Key keys[key_block];
  for (std::int64_t first = 0; first < sizes.axis; first += key_block) {
    workers.poll();
    const std::int64_t count = std::min(key_block, sizes.axis - first);
    if constexpr (std::is_same_v<T, float>) {
      if (has_threshold && sizes.inner == 1 &&
          rows.first_beyond(flip == 0, in + first, count, in[threshold_index]) == count)
        continue;
    }
    for (std::int64_t i = 0; i < count; ++i)
      keys[i] = static_cast<Key>(sort_key(in[(first + i) * sizes.inner]) ^ flip);
    bool has_better = !has_threshold;
    for (std::int64_t i = 0; i < count; ++i) has_better |= keys[i] > threshold;
    if (!has_better) continue;
    for (std::int64_t i = 0; i < count; ++i) {
      // A later element that is equal ranks lower.
      if (has_threshold && keys[i] <= threshold) continue;
      buffer[filled++] = {keys[i], first + i};
      if (filled < capacity || first + i + 1 == sizes.axis) continue;
      std::nth_element(buffer, buffer + sizes.k - 1, buffer + filled, is_before);
      threshold = buffer[sizes.k - 1].key;
      threshold_index = buffer[sizes.k - 1].index;
      has_threshold = true;
      filled = sizes.k;
    }
  }
  if (filled > sizes.k) std::nth_element(buffer, buffer + sizes.k - 1, buffer + filled, is_before);
  std::sort(buffer, buffer + sizes.k, is_before);
}

/// The unsigned integer of an integer's or Boolean's size; other types are their own.
template <typename T>
struct UnsignedOf {
  using Type = std::conditional_t<
      !std::is_integral_v<T>, T,
      std::conditional_t<
          sizeof(T) == 1, std::uint8_t,
          std::conditional_t<sizeof(T) == 2, std::uint16_t,
                             std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>>;
};

/// `sign`: the sign bit where the elements are signed integers, otherwise 0.
template <typename T>
void top_k_of(bool largest, OrderKey<T> sign, const T* in, T* values, std::int64_t* indices,
              const TopKSizes& sizes, void* workspace, Isa isa, Workers& workers) {
  using Key = OrderKey<T>;
  const ReduceRowFunctions& rows = reduce_row_functions(isa);
  const Key flip = sign ^ (largest ? Key{0} : static_cast<Key>(~Key{0}));
  const auto slot_bytes =
      buffer_size(sizes) * static_cast<std::int64_t>(sizeof(Candidate<std::uint64_t>));
  WorkspaceSlots slots(workspace, slot_bytes, workers.count());
  workers.parallel_ranges(sizes.outer * sizes.inner,
                          std::max<std::int64_t>(1, top_k_task_elements / sizes.axis),
                          [&](std::int64_t begin, std::int64_t end) {
                            const WorkspaceSlots::Lease lease(slots);
                            auto* buffer = reinterpret_cast<Candidate<Key>*>(lease.data());
                            for (std::int64_t line = begin; line < end; ++line) {
                              const std::int64_t outer = line / sizes.inner;
                              const std::int64_t inner = line % sizes.inner;
                              const T* from = in + outer * sizes.axis * sizes.inner + inner;
                              select_line(from, sizes, flip, buffer, rows, workers);
                              const std::int64_t to = outer * sizes.k * sizes.inner + inner;
                              for (std::int64_t i = 0; i < sizes.k; ++i) {
                                const std::int64_t index = buffer[i].index;
                                if (values != nullptr)
                                  values[to + i * sizes.inner] = from[index * sizes.inner];
                                if (indices != nullptr) indices[to + i * sizes.inner] = index;
                              }
                            }
                          });
}

}  // namespace

std::int64_t top_k_workspace_bytes(const TopKSizes& sizes, int threads) {
  return buffer_size(sizes) * static_cast<std::int64_t>(sizeof(Candidate<std::uint64_t>)) *
         std::min(threads, WorkspaceSlots::most);
}

void top_k(bool largest, DataType type, const void* in, void* values, std::int64_t* indices,
           const TopKSizes& sizes, void* workspace, Isa isa, Workers& workers) {
  if (sizes.k == 0) return;
  dispatch_data_type(type, [&](auto number) {
    using Element = decltype(number);
    // Signed integers are unsigned ones whose sign bit is the other way around.
    using T = typename UnsignedOf<Element>::Type;
    using Key = OrderKey<T>;
    const Key sign = std::is_integral_v<Element> && std::is_signed_v<Element>
                         ? static_cast<Key>(Key{1} << (sizeof(T) * 8 - 1))
                         : Key{0};
    top_k_of(largest, sign, static_cast<const T*>(in), static_cast<T*>(values), indices, sizes,
             workspace, isa, workers);
  });
}

}  // namespace ortool::cpu
