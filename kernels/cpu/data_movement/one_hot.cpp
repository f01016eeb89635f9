// OneHot: fills the output with the off value, then sets one element per index.
#include "kernels/cpu/data_movement/one_hot.hpp"

#include "kernels/cpu/data_movement/fill.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "kernels/cpu/types/dispatch_element_size.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t one_hot_grain = 16384;

template <typename Index>
std::int64_t position_of(Index index) {
  if constexpr (std::is_same_v<Index, std::uint64_t>) {
    return index > static_cast<std::uint64_t>(INT64_MAX) ? INT64_MAX
                                                         : static_cast<std::int64_t>(index);
  } else {
    return convert_number<std::int64_t>(index);
  }
}

using ReadPosition = std::int64_t (*)(const void* indices, std::int64_t i);

template <typename Index>
std::int64_t read_position(const void* indices, std::int64_t i) {
  return position_of(static_cast<const Index*>(indices)[i]);
}

}  // namespace

void one_hot(DataType type, const void* indices, const void* values, void* out, OneHotSizes sizes,
             bool counts_from_end, std::int64_t element_bytes, Workers& workers) {
  const std::int64_t count = sizes.outer * sizes.inner;
  fill(values, out, count * sizes.depth, element_bytes, workers);
  const ReadPosition read = dispatch_data_type(
      type, [](auto index) -> ReadPosition { return read_position<decltype(index)>; });
  dispatch_element_size(element_bytes, [&](auto element) {
    using Element = decltype(element);
    const Element on = static_cast<const Element*>(values)[1];
    auto* to = static_cast<Element*>(out);
    workers.parallel_ranges(count, one_hot_grain, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t inner = begin % sizes.inner;
      std::int64_t line = begin / sizes.inner * sizes.depth * sizes.inner;
      for (std::int64_t i = begin; i < end; ++i) {
        std::int64_t position = read(indices, i);
        if (position < 0 && counts_from_end && position >= -sizes.depth) position += sizes.depth;
        if (position >= 0 && position < sizes.depth) to[line + position * sizes.inner + inner] = on;
        if (++inner < sizes.inner) continue;
        inner = 0;
        line += sizes.depth * sizes.inner;
      }
    });
  });
}

}  // namespace ortool::cpu
