// ArgMax and ArgMin: the search moves along the axis for a block of inner positions at once, from
// its end if the last of equals is wanted.
#include "kernels/cpu/reduction/arg_min_max.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/cpu/parallel/interruptible_loop.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t searched_columns = 256;
constexpr std::int64_t searched_elements_of_task = 32768;

template <std::size_t bytes>
using SignedOfSize = std::conditional_t<
    bytes == 1, std::int8_t,
    std::conditional_t<bytes == 2, std::int16_t,
                       std::conditional_t<bytes == 4, std::int32_t, std::int64_t>>>;

/// What is compared of an element: of an integer, after flipping the bits that turn its order into
/// the wanted one, so that there is one search for all integers of a size.
template <typename T>
auto searched_value(T element, T flip) {
  if constexpr (is_fp16<T>) {
    return to_float(element);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(element ^ flip);
  } else {
    return element;
  }
}

template <ArgExtremeKind kind, typename Value>
bool is_better(Value value, Value best) {
  bool result = kind == ArgExtremeKind::largest ? value > best : value < best;
  if constexpr (std::is_floating_point_v<Value>) result |= (value != value) & (best == best);
  return result;
}

/// Along elements with stride `stride`. Improvements are rare, so a branch is cheapest.
template <ArgExtremeKind kind, typename T>
std::int64_t search_run(const T* in, T flip, std::int64_t count, std::int64_t stride,
                        const Workers& workers) {
  auto best = searched_value(in[0], flip);
  std::int64_t position = 0;
  interruptible_loop(count - 1, workers, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin + 1; i <= end; ++i) {
      const auto value = searched_value(in[i * stride], flip);
      if (!is_better<kind>(value, best)) continue;
      best = value;
      position = i;
    }
  });
  return position;
}

/// Along `axis` rows with stride `stride`, for `width` columns. A Position as wide as the elements
/// allows vectorization.
template <ArgExtremeKind kind, typename T>
void search_columns(const T* in, T flip, std::int64_t* out, std::int64_t axis, std::int64_t stride,
                    std::int64_t width) {
  using Position = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  decltype(searched_value(T{}, T{})) best[searched_columns];
  Position positions[searched_columns] = {};
  for (std::int64_t k = 0; k < width; ++k) best[k] = searched_value(in[k], flip);
  for (std::int64_t i = 1; i < axis; ++i) {
    const T* row = in + i * stride;
    const auto position = static_cast<Position>(i);
    for (std::int64_t k = 0; k < width; ++k) {
      const auto value = searched_value(row[k], flip);
      const bool takes = is_better<kind>(value, best[k]);
      best[k] = takes ? value : best[k];
      positions[k] = takes ? position : positions[k];
    }
  }
  for (std::int64_t k = 0; k < width; ++k) out[k] = static_cast<std::int64_t>(positions[k]);
}

template <ArgExtremeKind kind, typename T>
void search(const T* in, T flip, std::int64_t* out, ArgExtremeSizes sizes, bool takes_last,
            Workers& workers) {
  const std::int64_t blocks = (sizes.inner + searched_columns - 1) / searched_columns;
  const std::int64_t unit_elements = std::min(sizes.inner, searched_columns) * sizes.axis;
  const std::int64_t grain = std::max<std::int64_t>(
      1, searched_elements_of_task / std::max<std::int64_t>(1, unit_elements));
  const std::int64_t last = sizes.axis - 1;
  const std::int64_t stride = takes_last ? -sizes.inner : sizes.inner;
  const bool has_columns = sizes.inner > 1 && last <= std::numeric_limits<std::int32_t>::max();
  workers.parallel_ranges(sizes.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t outer = unit / blocks;
      const std::int64_t first = unit % blocks * searched_columns;
      const std::int64_t width = std::min(sizes.inner - first, searched_columns);
      const T* start = in + outer * sizes.axis * sizes.inner + first;
      if (takes_last) start += last * sizes.inner;
      std::int64_t* positions = out + outer * sizes.inner + first;
      if (has_columns) {
        search_columns<kind>(start, flip, positions, sizes.axis, stride, width);
      } else {
        for (std::int64_t k = 0; k < width; ++k)
          positions[k] = search_run<kind>(start + k, flip, sizes.axis, stride, workers);
      }
      if (!takes_last) continue;
      for (std::int64_t k = 0; k < width; ++k) positions[k] = last - positions[k];
    }
  });
}

}  // namespace

void arg_extreme(ArgExtremeKind kind, bool takes_last, DataType type, const void* in,
                 std::int64_t* out, ArgExtremeSizes sizes, Workers& workers) {
  ORTOOL_CHECK(sizes.axis >= 1);
  dispatch_data_type(type, [&](auto number) {
    using Element = decltype(number);
    if constexpr (std::is_integral_v<Element>) {
      using T = SignedOfSize<sizeof(Element)>;
      const T sign = std::is_signed_v<Element> ? T{0} : std::numeric_limits<T>::min();
      const T flip = kind == ArgExtremeKind::largest ? sign : static_cast<T>(~sign);
      search<ArgExtremeKind::largest>(static_cast<const T*>(in), flip, out, sizes, takes_last,
                                      workers);
    } else {
      const auto* elements = static_cast<const Element*>(in);
      if (kind == ArgExtremeKind::largest) {
        search<ArgExtremeKind::largest>(elements, Element{}, out, sizes, takes_last, workers);
      } else {
        search<ArgExtremeKind::smallest>(elements, Element{}, out, sizes, takes_last, workers);
      }
    }
  });
}

}  // namespace ortool::cpu
