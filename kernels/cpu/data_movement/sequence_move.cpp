// ReverseSequence and cache updates: copies whole entries after checking all lengths and positions.
#include "kernels/cpu/data_movement/sequence_move.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t move_task_bytes = 131072;

std::int64_t entries_a_task(std::int64_t entry_bytes) {
  return std::max<std::int64_t>(1, move_task_bytes / std::max<std::int64_t>(entry_bytes, 16));
}

}  // namespace

void reverse_sequences(const void* in, const std::int64_t* lengths, void* out, SequenceSizes sizes,
                       Workers& workers) {
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    if (lengths[b] >= 0 && lengths[b] <= sizes.times) continue;
    throw Error(ErrorCode::invalid,
                format("length {} of sequence {} is outside 0..{}", lengths[b], b, sizes.times));
  }
  if (sizes.entry_bytes == 0) return;
  const auto bytes = static_cast<std::size_t>(sizes.entry_bytes);
  const std::int64_t inner = sizes.is_batch_first ? sizes.times : sizes.batch;
  workers.parallel_ranges(
      sizes.times * sizes.batch, entries_a_task(sizes.entry_bytes),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t time = sizes.is_batch_first ? i % inner : i / inner;
          const std::int64_t b = sizes.is_batch_first ? i / inner : i % inner;
          const std::int64_t from = time < lengths[b] ? lengths[b] - 1 - time : time;
          const std::int64_t source = sizes.is_batch_first ? b * inner + from : from * inner + b;
          std::memcpy(static_cast<char*>(out) + i * sizes.entry_bytes,
                      static_cast<const char*>(in) + source * sizes.entry_bytes, bytes);
        }
      });
}

void write_into_cache(void* cache, const void* updates, const std::int64_t* first, bool wraps,
                      CacheSizes sizes, Workers& workers) {
  for (std::int64_t b = 0; first != nullptr && b < sizes.batch; ++b) {
    const std::int64_t most = wraps ? INT64_MAX : sizes.times - sizes.written;
    if (first[b] >= 0 && first[b] <= most) continue;
    throw Error(ErrorCode::invalid,
                format("write index {} of sequence {} leaves no room for {} entries in {}",
                       first[b], b, sizes.written, sizes.times));
  }
  if (sizes.entry_bytes == 0 || sizes.times == 0 || sizes.written == 0) return;
  workers.parallel_ranges(
      sizes.batch * sizes.outer, entries_a_task(sizes.written * sizes.entry_bytes),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
          const std::int64_t start = first == nullptr ? 0 : first[line / sizes.outer] % sizes.times;
          const std::int64_t before_end = std::min(sizes.written, sizes.times - start);
          char* to = static_cast<char*>(cache) + line * sizes.times * sizes.entry_bytes;
          const char* from =
              static_cast<const char*>(updates) + line * sizes.written * sizes.entry_bytes;
          const std::int64_t bytes = before_end * sizes.entry_bytes;
          std::memcpy(to + start * sizes.entry_bytes, from, static_cast<std::size_t>(bytes));
          std::memcpy(to, from + bytes,
                      static_cast<std::size_t>((sizes.written - before_end) * sizes.entry_bytes));
        }
      });
}

}  // namespace ortool::cpu
