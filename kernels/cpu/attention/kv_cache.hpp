// Key/value cache: appends the rows of new tokens to those of past ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/attention/cache_format.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Caches are batch × heads × rows × row_bytes.
struct CacheUpdate {
  CacheFormat format;
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  const std::byte* past = nullptr;  ///< null: none; `present`: the cache is extended in place
  std::int64_t past_rows = 0;       ///< for each head of `past`
  std::byte* present = nullptr;
  std::int64_t present_rows = 0;
  /// Where the new rows of each batch go; the rows before are past ones. Null: past_rows.
  const std::int64_t* positions = nullptr;
  /// First rows of `past` that each batch leaves out, which then start at row 0. Null: none.
  const std::int64_t* dropped = nullptr;
  /// Whether the rows behind the new ones are those of `past`, as far as it has them, not 0. They
  /// stay as they are if the cache is extended in place.
  bool keeps_rest = false;
  HeadRows<const float*> rows;  ///< new ones
  std::int64_t row_count = 0;
};

/// Heads are independent: results do not depend on the number of threads.
void append_to_cache(const CacheUpdate& append, Workers& workers, Isa isa);

/// The last rows of the caches of each batch, then zeros.
struct RowSelection {
  std::int64_t row_bytes = 0;
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  const std::byte* from = nullptr;
  std::int64_t from_rows = 0;             ///< for each head
  const std::int64_t* lengths = nullptr;  ///< rows of each batch that are filled
  const std::int64_t* kept = nullptr;     ///< of those, the last ones
  std::byte* to = nullptr;                ///< other memory than `from`
  std::int64_t to_rows = 0;
};

void copy_last_rows(const RowSelection& selection, Workers& workers);

/// The rows of a cache as another beam search wants them: row r of batch b comes from batch
/// (b / beams) * beams + beam_of[b * beam_stride + r] for r < rows; the others stay.
struct BeamSelection {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t beams = 1;
  std::int64_t rows = 0;
  std::int64_t present_rows = 0;
  std::int64_t size = 0;
  const std::int32_t* beam_of = nullptr;
  std::int64_t beam_stride = 0;
};

/// Throws ErrorCode::invalid for a beam outside 0 to beams - 1.
void gather_beams(const BeamSelection& beams, const float* in, float* out, Workers& workers);

}  // namespace ortool::cpu
