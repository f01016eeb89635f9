// Key/value cache: copies past rows unless they are there already, and encodes new ones.
#include "kernels/cpu/attention/kv_cache.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {

void append_to_cache(const CacheUpdate& append, Workers& workers, Isa isa) {
  const std::int64_t row_bytes = append.format.row_bytes();
  const auto bytes_of_rows = [&](std::int64_t rows) {
    return static_cast<std::size_t>(std::max<std::int64_t>(0, rows) * row_bytes);
  };
  const auto one_head = [&](std::int64_t i) {
    const std::int64_t batch = i / append.heads;
    const std::int64_t head = i % append.heads;
    const std::int64_t first =
        append.positions != nullptr ? append.positions[batch] : append.past_rows;
    const std::int64_t end = first + append.row_count;
    const std::int64_t dropped = append.dropped != nullptr ? append.dropped[batch] : 0;
    std::byte* present = append.present + i * append.present_rows * row_bytes;
    if (append.past == append.present) {
      if (dropped > 0) std::memmove(present, present + dropped * row_bytes, bytes_of_rows(first));
    } else {
      std::int64_t filled = end;
      if (append.past != nullptr) {
        const std::byte* past = append.past + i * append.past_rows * row_bytes;
        std::memcpy(present, past + dropped * row_bytes,
                    bytes_of_rows(std::min(first, append.past_rows - dropped)));
        if (append.keeps_rest && append.past_rows > end) {
          std::memcpy(present + end * row_bytes, past + end * row_bytes,
                      bytes_of_rows(append.past_rows - end));
          filled = append.past_rows;
        }
      }
      if (append.present_rows > filled) {
        std::memset(present + filled * row_bytes, 0, bytes_of_rows(append.present_rows - filled));
      }
    }
    for (std::int64_t row = 0; row < append.row_count; ++row) {
      encode_row(append.format, head, append.rows.at(batch, head, row),
                 present + (first + row) * row_bytes, isa);
    }
  };
  const std::int64_t bytes = std::max<std::int64_t>(1, append.present_rows * row_bytes);
  workers.parallel_ranges(append.batch * append.heads, std::max<std::int64_t>(1, 262144 / bytes),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) one_head(i);
                          });
}

void copy_last_rows(const RowSelection& selection, Workers& workers) {
  workers.parallel_ranges(
      selection.batch * selection.heads, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t kept = selection.kept[i / selection.heads];
          const std::int64_t first =
              i * selection.from_rows + selection.lengths[i / selection.heads] - kept;
          std::byte* to = selection.to + i * selection.to_rows * selection.row_bytes;
          std::memcpy(to, selection.from + first * selection.row_bytes,
                      static_cast<std::size_t>(kept * selection.row_bytes));
          std::memset(to + kept * selection.row_bytes, 0,
                      static_cast<std::size_t>((selection.to_rows - kept) * selection.row_bytes));
        }
      });
}

void gather_beams(const BeamSelection& beams, const float* in, float* out, Workers& workers) {
  for (std::int64_t batch = 0; batch < beams.batch; ++batch) {
    for (std::int64_t row = 0; row < beams.rows; ++row) {
      const std::int32_t beam = beams.beam_of[batch * beams.beam_stride + row];
      if (beam >= 0 && beam < beams.beams) continue;
      throw Error(ErrorCode::invalid,
                  format("'cache_indirection' holds {} (expected 0 to {})", beam, beams.beams - 1));
    }
  }
  const std::int64_t head_size = beams.present_rows * beams.size;
  workers.parallel_ranges(beams.batch * beams.heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t batch = i / beams.heads;
      const std::int64_t head = i % beams.heads;
      std::copy_n(in + i * head_size, head_size, out + i * head_size);
      for (std::int64_t row = 0; row < beams.rows; ++row) {
        const std::int64_t from =
            batch / beams.beams * beams.beams + beams.beam_of[batch * beams.beam_stride + row];
        std::copy_n(in + (from * beams.heads + head) * head_size + row * beams.size, beams.size,
                    out + i * head_size + row * beams.size);
      }
    }
  });
}

}  // namespace ortool::cpu
