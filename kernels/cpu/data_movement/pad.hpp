// Pad: extends or crops a tensor at both ends of its dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

enum class PadMode { constant, edge, reflect, wrap };

/// Precomputed source ranges for one shape and padding.
class PadPlan {
 public:
  /// Output dimension i is before[i] + shape[i] + after[i] (at least 0; negative pads crop). By
  /// mode, new elements are a constant, the nearest input element, the input reflected without
  /// repeating its edge, or the input wrapped around. Throws ErrorCode::invalid if a mode that
  /// reads the input has to extend a dimension of size 0.
  PadPlan(std::span<const std::int64_t> shape, std::span<const std::int64_t> before,
          std::span<const std::int64_t> after, PadMode mode, std::int64_t element_bytes);

  /// `fill`: the padding value of constant mode.
  void run(const void* in, void* out, const void* fill, Workers& workers) const;

 private:
  /// A contiguous range of an output row: read from the input row at `source`, or padding if that
  /// is negative.
  struct RowRun {
    std::int64_t source;
    std::int64_t count;
  };
  /// A dimension before the last: of output index i, the input index is sources[i] or, without
  /// sources, i - before if that is inside `size`.
  struct Outer {
    std::int64_t out_size;
    std::int64_t before;
    std::int64_t size;
    std::int64_t stride;
    std::vector<std::int64_t> sources;

    /// -1: padding.
    std::int64_t source(std::int64_t index) const;
  };

  void add_run(std::int64_t source, std::int64_t count);

  void write_row(const std::byte* in, std::byte* out, const std::byte* fill) const;

  std::int64_t element_bytes_;
  std::int64_t fill_bytes_;
  std::vector<Outer> outer_;
  std::vector<RowRun> row_;
  std::int64_t rows_ = 1;
  std::int64_t row_size_ = 0;
};

}  // namespace ortool::cpu
