// Resize by weighted sums: blends input rows, then gathers along the last axis.
#include <type_traits>

#include "kernels/cpu/image/resize_rows.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

/// The accumulation type for T.
template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, double> ||
                                   (std::is_integral_v<T> && sizeof(T) >= sizeof(std::int32_t)),
                               double, float>;

template <typename T, typename S>
void blend(const T* in, std::int64_t count, S weight, bool is_first, S* sums) {
  if (is_first) {
    for (std::int64_t i = 0; i < count; ++i) sums[i] = weight * convert_number<S>(in[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) sums[i] += weight * convert_number<S>(in[i]);
  }
}

/// Computes an output row from an already blended input row.
template <typename T, typename S>
void gather(const ResizeAxis& axis, const S* from, T* to, S outside) {
  if (axis.is_identity()) {
    for (std::int64_t i = 0; i < axis.out; ++i) to[i] = convert_number<T>(from[i]);
    return;
  }
  const std::int32_t* index = axis.index.data();
  const float* weight = axis.weight.data();
  if (axis.taps == 2) {
    for (std::int64_t i = 0; i < axis.out; ++i) {
      const std::int32_t first = index[2 * i];
      if (first < 0) {
        to[i] = convert_number<T>(outside);
      } else {
        to[i] = convert_number<T>(static_cast<S>(weight[2 * i]) * from[first] +
                                  static_cast<S>(weight[2 * i + 1]) * from[index[2 * i + 1]]);
      }
    }
    return;
  }
  for (std::int64_t i = 0; i < axis.out; ++i, index += axis.taps, weight += axis.taps) {
    S sum = index[0] < 0 ? outside : S{0};
    for (std::int64_t tap = 0; index[0] >= 0 && tap < axis.taps; ++tap)
      sum += static_cast<S>(weight[tap]) * from[index[tap]];
    to[i] = convert_number<T>(sum);
  }
}

template <typename T>
void weighted(const ResizePlan& plan, const T* in, T* out, double outside, void* workspace,
              int threads, Workers& workers) {
  using S = Sum<T>;
  const ResizeAxis& last = plan.axes.back();
  std::int64_t work = 1;
  for (const ResizeAxis& axis : plan.axes) work *= std::max<std::int64_t>(1, axis.taps);
  WorkspaceSlots slots(workspace, resize_workspace_bytes(plan, 1), threads);
  workers.parallel_ranges(
      resize_rows(plan), resize_grain(plan, work), [&](std::int64_t begin, std::int64_t end) {
        const WorkspaceSlots::Lease lease(slots);
        auto* sums = reinterpret_cast<S*>(lease.data());
        for (std::int64_t row = begin; row < end; ++row) {
          T* to = out + row * last.out;
          const S* blended = sums;
          bool is_first = true;
          const bool is_inside =
              for_each_source(plan, 0, row, 0, 1.0F, [&](std::int64_t from, float weight) {
                const T* source = in + from * last.in;
                if constexpr (std::is_same_v<T, S>) {
                  if (is_first && weight == 1.0F) {
                    blended = source;
                    is_first = false;
                    return;
                  }
                  // The first row was used in place, but another one follows: copy it to the sums.
                  if (!is_first && blended != sums) {
                    blend(blended, last.in, S{1}, true, sums);
                    blended = sums;
                  }
                }
                blend(source, last.in, static_cast<S>(weight), is_first, sums);
                is_first = false;
              });
          if (!is_inside) {
            std::fill(to, to + last.out, convert_number<T>(static_cast<S>(outside)));
          } else {
            gather(last, blended, to, static_cast<S>(outside));
          }
        }
      });
}

}  // namespace

std::int64_t resize_workspace_bytes(const ResizePlan& plan, int threads) {
  const std::int64_t row = plan.axes.back().in * static_cast<std::int64_t>(sizeof(double));
  return (row + 63) / 64 * 64 * threads;
}

void resize_weighted(const ResizePlan& plan, DataType type, const void* in, void* out,
                     double outside, void* workspace, int threads, Workers& workers) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (!std::is_same_v<T, bool>) {
      weighted(plan, static_cast<const T*>(in), static_cast<T*>(out), outside, workspace, threads,
               workers);
    }
  });
}

}  // namespace ortool::cpu
