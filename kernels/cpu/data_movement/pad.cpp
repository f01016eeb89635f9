// Pad: merges dimensions without padding and splits rows into contiguous ranges. Modes that read
// the input need an index table per padded dimension.
#include "kernels/cpu/data_movement/pad.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t pad_task_bytes = 128 * 1024;

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// The input index that output index `position` (relative to the input's first) reads.
std::int64_t source_index(std::int64_t position, std::int64_t size, PadMode mode) {
  if (position >= 0 && position < size) return position;
  switch (mode) {
    case PadMode::reflect: {
      if (size == 1) return 0;
      const std::int64_t folded = modulo(position, 2 * (size - 1));
      return folded < size ? folded : 2 * (size - 1) - folded;
    }
    case PadMode::wrap:
      return modulo(position, size);
    default:
      return std::clamp<std::int64_t>(position, 0, size - 1);
  }
}

/// Of a mode other than constant.
std::vector<std::int64_t> source_indices(std::int64_t size, std::int64_t before, std::int64_t after,
                                         PadMode mode) {
  const std::int64_t out_size = size + before + after;
  // Elements cropped by negative pads take no part in reflection or wrapping either.
  const std::int64_t first = std::max<std::int64_t>(-before, 0);
  const std::int64_t kept = size - first - std::max<std::int64_t>(-after, 0);
  if (kept <= 0 && out_size > 0) {
    throw Error(ErrorCode::invalid, "Pad: a dimension of size 0 has no element to repeat",
                "only the mode 'constant' can pad it");
  }
  std::vector<std::int64_t> indices(static_cast<std::size_t>(out_size));
  for (std::int64_t i = 0; i < out_size; ++i) {
    indices[static_cast<std::size_t>(i)] = first + source_index(i - before - first, kept, mode);
  }
  return indices;
}

/// A dimension and its padding.
struct Extent {
  std::int64_t size;
  std::int64_t before;
  std::int64_t after;

  bool has_pads() const { return before != 0 || after != 0; }
};

/// Merges dimensions where possible. An unpadded dimension is merged into a padded one in constant
/// mode only.
std::vector<Extent> join(std::span<const std::int64_t> shape, std::span<const std::int64_t> before,
                         std::span<const std::int64_t> after, PadMode mode) {
  std::vector<Extent> joined;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Extent extent = {shape[i], before[i], after[i]};
    const bool takes = !joined.empty() && !extent.has_pads() &&
                       (mode == PadMode::constant || !joined.back().has_pads());
    // Large negative and positive pads may overflow 64 bits when multiplied.
    Extent whole = takes ? joined.back() : extent;
    if (!takes || __builtin_mul_overflow(whole.size, extent.size, &whole.size) ||
        __builtin_mul_overflow(whole.before, extent.size, &whole.before) ||
        __builtin_mul_overflow(whole.after, extent.size, &whole.after)) {
      joined.push_back(extent);
      continue;
    }
    joined.back() = whole;
  }
  return joined;
}

void repeat(const std::byte* element, std::int64_t bytes, std::int64_t count, std::byte* out) {
  const auto all = static_cast<std::size_t>(bytes * count);
  if (all == 0) return;
  const bool is_even =
      std::all_of(element, element + bytes, [&](std::byte each) { return each == *element; });
  if (is_even) {
    std::memset(out, std::to_integer<int>(*element), all);
    return;
  }
  std::size_t done = static_cast<std::size_t>(bytes);
  std::memcpy(out, element, done);
  for (; done < all; done += std::min(done, all - done))
    std::memcpy(out + done, out, std::min(done, all - done));
}

}  // namespace

PadPlan::PadPlan(std::span<const std::int64_t> shape, std::span<const std::int64_t> before,
                 std::span<const std::int64_t> after, PadMode mode, std::int64_t element_bytes)
    : element_bytes_(element_bytes), fill_bytes_(element_bytes) {
  std::vector<Extent> extents = join(shape, before, after, mode);
  // If the last dimension is not padded, its rows are copied like elements.
  if (mode != PadMode::constant && extents.size() > 1 && !extents.back().has_pads()) {
    element_bytes_ *= extents.back().size;
    extents.pop_back();
  }
  if (extents.empty()) extents.push_back({1, 0, 0});
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const Extent& extent = extents[i];
    const std::int64_t size = extent.size + extent.before + extent.after;
    ORTOOL_CHECK(size >= 0);
    Outer dimension = {size, extent.before, extent.size, stride, {}};
    if (mode != PadMode::constant && extent.has_pads())
      dimension.sources = source_indices(extent.size, extent.before, extent.after, mode);
    stride *= extent.size;
    if (i + 1 < extents.size()) {
      rows_ *= size;
      outer_.push_back(std::move(dimension));
      continue;
    }
    row_size_ = size;
    if (dimension.sources.empty()) {
      const std::int64_t begin = std::clamp<std::int64_t>(extent.before, 0, size);
      const std::int64_t end = std::clamp(extent.before + extent.size, begin, size);
      add_run(-1, begin);
      add_run(begin - extent.before, end - begin);
      add_run(-1, size - end);
    }
    for (const std::int64_t source : dimension.sources) {
      if (!row_.empty() && row_.back().source + row_.back().count == source) {
        ++row_.back().count;
      } else {
        add_run(source, 1);
      }
    }
  }
}

void PadPlan::add_run(std::int64_t source, std::int64_t count) {
  if (count > 0) row_.push_back({source, count});
}

std::int64_t PadPlan::Outer::source(std::int64_t index) const {
  if (!sources.empty()) return sources[static_cast<std::size_t>(index)];
  const std::int64_t source = index - before;
  return source >= 0 && source < size ? source : -1;
}

void PadPlan::write_row(const std::byte* in, std::byte* out, const std::byte* fill) const {
  if (in == nullptr) return repeat(fill, fill_bytes_, row_size_, out);
  for (const RowRun& row_run : row_) {
    const std::int64_t bytes = row_run.count * element_bytes_;
    if (row_run.source < 0) {
      repeat(fill, fill_bytes_, row_run.count, out);
    } else {
      std::memcpy(out, in + row_run.source * element_bytes_, static_cast<std::size_t>(bytes));
    }
    out += bytes;
  }
}

void PadPlan::run(const void* in, void* out, const void* fill, Workers& workers) const {
  const std::int64_t row_bytes = row_size_ * element_bytes_;
  if (row_bytes == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(1, pad_task_bytes / row_bytes);
  workers.parallel_ranges(rows_, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t rest = row;
      std::int64_t offset = 0;
      bool is_filled = false;
      for (const Outer& outer : outer_) {
        const std::int64_t source = outer.source(rest % outer.out_size);
        rest /= outer.out_size;
        is_filled |= source < 0;
        offset += source * outer.stride;
      }
      const std::byte* from =
          is_filled ? nullptr : static_cast<const std::byte*>(in) + offset * element_bytes_;
      write_row(from, static_cast<std::byte*>(out) + row * row_bytes,
                static_cast<const std::byte*>(fill));
    }
  });
}

}  // namespace ortool::cpu
