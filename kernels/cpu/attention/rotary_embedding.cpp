// Rotary position embedding: looks up each position's cosines and sines and rotates every head.
#include "kernels/cpu/attention/rotary_embedding.hpp"

#include <algorithm>

#include "kernels/cpu/attention/rotary_rows.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

void check_positions(const RotaryAngles& angles, std::int64_t count) {
  if (angles.positions == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t position = angles.positions[i];
    if (position >= -angles.rows && position < angles.rows) continue;
    throw Error(ErrorCode::invalid, format("'position_ids' holds {} (expected {} to {})", position,
                                           -angles.rows, angles.rows - 1));
  }
}

std::int64_t row_of(const RotaryAngles& angles, const RotarySizes& sizes, std::int64_t batch,
                    std::int64_t i) {
  if (angles.positions == nullptr) return batch * angles.batch_rows + i * angles.length_rows;
  const std::int64_t position = angles.positions[batch * sizes.length + i];
  return position < 0 ? position + angles.rows : position;
}

}  // namespace

void rotary_embedding(const float* in, const RotaryAngles& angles, float* out,
                      const RotarySizes& sizes, Workers& workers, Isa isa) {
  check_positions(angles, sizes.batch * sizes.length);
  const RotaryFunctions& functions = rotary_functions(isa);
  const auto rotate = sizes.is_interleaved ? functions.interleaved : functions.halves;
  const std::int64_t pairs = sizes.rotated / 2;
  const std::int64_t head_stride = sizes.is_packed ? sizes.size : sizes.length * sizes.size;
  const std::int64_t row_stride = sizes.is_packed ? sizes.heads * sizes.size : sizes.size;
  const std::int64_t elements = std::max<std::int64_t>(1, sizes.heads * sizes.size);
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / elements);
  const auto one_row = [&](std::int64_t row) {
    const std::int64_t batch = row / sizes.length;
    const std::int64_t i = row % sizes.length;
    const std::int64_t angle = row_of(angles, sizes, batch, i) * pairs;
    const std::int64_t first = batch * sizes.heads * sizes.length * sizes.size + i * row_stride;
    for (std::int64_t head = 0; head < sizes.heads; ++head) {
      const float* from = in + first + head * head_stride;
      float* to = out + first + head * head_stride;
      rotate(from, angles.cosines + angle, angles.sines + angle, to, pairs);
      if (from != to) std::copy(from + 2 * pairs, from + sizes.size, to + 2 * pairs);
    }
  };
  workers.parallel_ranges(sizes.batch * sizes.length, grain,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t row = begin; row < end; ++row) one_row(row);
                          });
}

}  // namespace ortool::cpu
