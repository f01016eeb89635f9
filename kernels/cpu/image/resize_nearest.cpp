// Resize without arithmetic (nearest): gathers rows, or copies the previous row.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/image/resize_rows.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// An element of several 64-bit words.
template <std::size_t words>
struct WideElement {
  std::uint64_t parts[words];
};

/// How often each input of the last axis is repeated, if that is the same for all; else 0.
std::int64_t repeats_of(const ResizeAxis& axis) {
  if (axis.is_identity() || axis.in == 0 || axis.out % axis.in != 0) return 0;
  const std::int64_t factor = axis.out / axis.in;
  for (std::int64_t i = 0; i < axis.out; ++i) {
    if (axis.index[static_cast<std::size_t>(i)] != i / factor) return 0;
  }
  return factor;
}

template <typename T>
void gather_row(const ResizeAxis& axis, std::int64_t repeats, const T* in, T* out, T outside) {
  if (axis.is_identity()) {
    std::copy(in, in + axis.out, out);
  } else if (repeats == 2) {
    for (std::int64_t i = 0; i < axis.in; ++i) {
      out[2 * i] = in[i];
      out[2 * i + 1] = in[i];
    }
  } else if (repeats > 0) {
    for (std::int64_t i = 0; i < axis.in; ++i)
      std::fill(out + i * repeats, out + (i + 1) * repeats, in[i]);
  } else {
    for (std::int64_t i = 0; i < axis.out; ++i) {
      const std::int32_t from = axis.index[static_cast<std::size_t>(i)];
      out[i] = from < 0 ? outside : in[from];
    }
  }
}

/// The input rows of consecutive output rows; -1: none, since they lie outside the image.
class NearestRows {
 public:
  NearestRows(const ResizePlan& plan, std::int64_t first) : plan_(plan), row_(first) {
    if (plan.axes.size() < 2) return;
    axis_ = &plan.axes[plan.axes.size() - 2];
    place_ = first % std::max<std::int64_t>(1, axis_->out);
  }
  std::int64_t next() {
    const std::int64_t source = start_ < 0 ? find() : known();
    ++row_;
    if (axis_ != nullptr && ++place_ == axis_->out) {
      place_ = 0;
      start_ = -1;
    }
    return source;
  }

 private:
  /// Of the row along its own axis.
  std::int64_t index() const {
    return axis_->is_identity() ? place_ : axis_->index[static_cast<std::size_t>(place_)];
  }
  std::int64_t known() const { return index() < 0 ? -1 : start_ + index(); }
  std::int64_t find() {
    std::int64_t source = -1;
    for_each_source(plan_, 0, row_, 0, 1.0F, [&](std::int64_t from, float) { source = from; });
    if (source >= 0 && axis_ != nullptr) start_ = source - index();
    return source;
  }

  const ResizePlan& plan_;
  std::int64_t row_;
  const ResizeAxis* axis_ = nullptr;  ///< of the rows; null: there is one row
  std::int64_t place_ = 0;
  std::int64_t start_ = -1;  ///< the image's first row, once it is known
};

template <typename T>
void nearest(const ResizePlan& plan, const T* in, T* out, const void* outside_bytes,
             Workers& workers) {
  const ResizeAxis& last = plan.axes.back();
  T outside;
  std::memcpy(&outside, outside_bytes, sizeof outside);
  const std::int64_t repeats = repeats_of(last);
  constexpr auto work = static_cast<std::int64_t>(sizeof(T) <= 4 ? 1 : sizeof(T) / 4);
  workers.parallel_ranges(resize_rows(plan), resize_grain(plan, work),
                          [&](std::int64_t begin, std::int64_t end) {
                            std::int64_t before = -1;
                            NearestRows sources(plan, begin);
                            for (std::int64_t row = begin; row < end; ++row) {
                              T* to = out + row * last.out;
                              const std::int64_t source = sources.next();
                              if (source < 0) {
                                std::fill(to, to + last.out, outside);
                              } else if (source == before) {
                                std::copy(to - last.out, to, to);
                              } else {
                                gather_row(last, repeats, in + source * last.in, to, outside);
                              }
                              before = source;
                            }
                          });
}

}  // namespace

void resize_nearest(const ResizePlan& plan, std::int64_t element_bytes, const void* in, void* out,
                    const void* outside, Workers& workers) {
  const auto run = [&](auto element) {
    using T = decltype(element);
    nearest(plan, static_cast<const T*>(in), static_cast<T*>(out), outside, workers);
  };
  switch (element_bytes) {
    case 1:
      return run(std::uint8_t{});
    case 2:
      return run(std::uint16_t{});
    case 4:
      return run(std::uint32_t{});
    case 8:
      return run(std::uint64_t{});
    case 16:
      return run(WideElement<2>{});
    case 32:
      return run(WideElement<4>{});
    default:
      ORTOOL_CHECK(element_bytes == 64);
      return run(WideElement<8>{});
  }
}

}  // namespace ortool::cpu
