// A tensor widened or cropped at the ends of its dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

enum class PadMode { constant, edge, reflect, wrap };

/// What is widened and cropped where, laid out once for a shape.
class PadPlan {
 public:
  /// Output dimension i is before[i] + shape[i] + after[i] (not below 0; negative pads crop). The
  /// new elements are one that is given, the nearest input element, the input mirrored without its
  /// end repeated, or the input repeated. Throws ErrorCode::invalid when a mode that reads the
  /// input finds a dimension of size 0 to widen.
  PadPlan(std::span<const std::int64_t> shape, std::span<const std::int64_t> before,
          std::span<const std::int64_t> after, PadMode mode, std::int64_t element_bytes);

  /// `fill`: the new element of the constant mode.
  void run(const void* in, void* out, const void* fill, Workers& workers) const;

 private:
  /// Neighbours of a row of the output: of the input's row from `source` on, or new where that is
  /// negative.
  struct Stretch {
    std::int64_t source;
    std::int64_t count;
  };
  /// A dimension before the last: the input index that each output index reads, or -1.
  struct Outer {
    std::vector<std::int64_t> sources;
    std::int64_t stride;
  };

  void write_row(const std::byte* in, std::byte* out, const std::byte* fill) const;

  std::int64_t element_bytes_;
  std::int64_t fill_bytes_;
  std::vector<Outer> outer_;
  std::vector<Stretch> row_;
  std::int64_t rows_ = 1;
  std::int64_t row_size_ = 0;
};

}  // namespace ortool::cpu
