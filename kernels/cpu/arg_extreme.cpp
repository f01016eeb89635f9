// Plain loops: the search moves along the axis for a block of inner positions at once.
#include "kernels/cpu/arg_extreme.hpp"

#include <algorithm>

#include "kernels/cpu/convert_number.hpp"
#include "kernels/cpu/with_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t searched_columns = 256;
constexpr std::int64_t searched_elements_of_task = 32768;

template <typename T>
auto searched_value(T element) {
  if constexpr (is_half<T>) {
    return to_float(element);
  } else {
    return element;
  }
}

template <ArgExtremeKind kind, bool takes_last, typename Value>
bool is_better(Value value, Value best) {
  bool result = kind == ArgExtremeKind::largest ? value > best : value < best;
  if constexpr (takes_last) result |= value == best;
  if constexpr (std::is_floating_point_v<Value>) {
    result |= (value != value) & (takes_last | (best == best));
  }
  return result;
}

template <ArgExtremeKind kind, bool takes_last, typename T>
void search(const T* in, std::int64_t* out, ArgExtremeSizes sizes, Workers& workers) {
  using Value = decltype(searched_value(T{}));
  const std::int64_t blocks = (sizes.inner + searched_columns - 1) / searched_columns;
  const std::int64_t unit_elements = std::min(sizes.inner, searched_columns) * sizes.axis;
  const std::int64_t grain = std::max<std::int64_t>(
      1, searched_elements_of_task / std::max<std::int64_t>(1, unit_elements));
  workers.parallel_ranges(sizes.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    Value best[searched_columns];
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t outer = unit / blocks;
      const std::int64_t first = unit % blocks * searched_columns;
      const std::int64_t width = std::min(sizes.inner - first, searched_columns);
      const T* row = in + outer * sizes.axis * sizes.inner + first;
      std::int64_t* positions = out + outer * sizes.inner + first;
      for (std::int64_t k = 0; k < width; ++k) {
        best[k] = searched_value(row[k]);
        positions[k] = 0;
      }
      for (std::int64_t i = 1; i < sizes.axis; ++i) {
        row += sizes.inner;
        for (std::int64_t k = 0; k < width; ++k) {
          const Value value = searched_value(row[k]);
          const bool takes = is_better<kind, takes_last>(value, best[k]);
          best[k] = takes ? value : best[k];
          positions[k] = takes ? i : positions[k];
        }
      }
    }
  });
}

}  // namespace

void arg_extreme(ArgExtremeKind kind, bool takes_last, DataType type, const void* in,
                 std::int64_t* out, ArgExtremeSizes sizes, Workers& workers) {
  ORTOOL_CHECK(sizes.axis >= 1);
  with_data_type(type, [&](auto number) {
    const auto* elements = static_cast<const decltype(number)*>(in);
    if (kind == ArgExtremeKind::largest && takes_last) {
      search<ArgExtremeKind::largest, true>(elements, out, sizes, workers);
    } else if (kind == ArgExtremeKind::largest) {
      search<ArgExtremeKind::largest, false>(elements, out, sizes, workers);
    } else if (takes_last) {
      search<ArgExtremeKind::smallest, true>(elements, out, sizes, workers);
    } else {
      search<ArgExtremeKind::smallest, false>(elements, out, sizes, workers);
    }
  });
}

}  // namespace ortool::cpu
