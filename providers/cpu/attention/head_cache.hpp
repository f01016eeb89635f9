// Key/value cache of an attention node in float32, and the rotary angles of its positions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/attention/head_rows.hpp"
#include "kernels/cpu/attention/kv_cache.hpp"
#include "libcore/base/format.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::cpu {

/// The cache of keys or of values: an input with past rows and an output with present ones.
struct HeadCache {
  std::size_t past = 0;
  std::size_t present = 0;
  std::int64_t part = 0;  ///< of tensors that hold keys, then values
  bool has_past = false;
  bool is_given = false;
  CacheUpdate append;
  std::int64_t space = -1;        ///< for present rows without an output
  std::int64_t beams_space = -1;  ///< for rows of other beams

  HeadCache() = default;
  HeadCache(const PrepareContext& context, std::size_t past_input, std::size_t output,
            std::int64_t which, const HeadSizes& sizes, const std::int64_t* positions,
            WorkspaceLayout& layout)
      : past(past_input), present(output), part(which), has_past(context.has_input(past_input)) {
    is_given = has_past || context.has_output(output);
    if (!is_given) return;
    append.format.size = sizes.size;
    append.batch = sizes.batch;
    append.heads = sizes.heads;
    append.row_count = sizes.length;
    append.keeps_rest = true;
    if (has_past) {
      const Shape& shape = context.inputs[past_input].shape;
      append.past_rows = shape[shape.rank() - 2];
      append.positions = positions;
      if (shape[shape.rank() - 4] != sizes.batch)
        throw Error(ErrorCode::invalid, format("a cache is of {} batches (expected {})",
                                               shape[shape.rank() - 4], sizes.batch));
    }
    append.present_rows = positions != nullptr ? append.past_rows : append.past_rows + sizes.length;
    if (!context.has_output(output))
      space = layout.add(bytes_of(DataType::float32, present_count()));
  }

  std::int64_t present_count() const {
    return append.batch * append.heads * append.present_rows * append.format.size;
  }
  std::int64_t past_count() const {
    return append.batch * append.heads * append.past_rows * append.format.size;
  }

  /// Fills the cache; returns all of its rows.
  HeadRows<const float*> extend(const RunContext& run, const HeadRows<const float*>& rows,
                                const BeamSelection& beams, Isa isa) const {
    CacheUpdate here = append;
    const auto* from = run.input<float>(past);
    float* to = space >= 0 ? reinterpret_cast<float*>(run.workspace() + space)
                           : run.output<float>(present) + part * present_count();
    here.rows = rows;
    if (has_past) here.past = reinterpret_cast<const std::byte*>(from + part * past_count());
    here.present = reinterpret_cast<std::byte*>(to);
    append_to_cache(here, run.workers(), isa);
    if (beams_space >= 0) {
      BeamSelection gathered = beams;
      gathered.present_rows = append.present_rows;
      gathered.size = append.format.size;
      auto* out = reinterpret_cast<float*>(run.workspace() + beams_space);
      gather_beams(gathered, to, out, run.workers());
      to = out;
    }
    return HeadSizes{append.batch, append.heads, append.present_rows, append.format.size}
        .split<const float*>(to);
  }
};

/// Angles of positions, for operators without caches of cosines and sines.
struct PositionAngles {
  std::vector<float> cosines;
  std::vector<float> sines;
  std::vector<std::int64_t> rows;  ///< by token

  PositionAngles() = default;
  PositionAngles(const HeadSizes& sizes, std::int64_t first, std::int64_t rotated) {
    const std::int64_t pairs = rotated / 2;
    for (std::int64_t i = 0; i < sizes.length; ++i) {
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const double angle =
            static_cast<double>(first + i) *
            std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(rotated));
        cosines.push_back(static_cast<float>(std::cos(angle)));
        sines.push_back(static_cast<float>(std::sin(angle)));
      }
    }
    for (std::int64_t i = 0; i < sizes.batch * sizes.length; ++i) rows.push_back(i % sizes.length);
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(cosines.size() * 2 * sizeof(float) +
                                     rows.size() * sizeof(std::int64_t));
  }
};

}  // namespace ortool::cpu
