// Fills, partitioned into ranges of a fixed size for multithreading.
#include "kernels/cpu/data_movement/fill.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/types/convert_element.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t fill_grain = 32768;

struct FilledElement16 {
  std::uint64_t words[2];
};

template <typename Element>
void fill_elements(const void* value, void* out, std::int64_t count, Workers& workers) {
  Element element;
  std::memcpy(&element, value, sizeof(element));
  auto* elements = static_cast<Element*>(out);
  workers.parallel_ranges(count, fill_grain, [=](std::int64_t begin, std::int64_t end) {
    std::fill(elements + begin, elements + end, element);
  });
}

}  // namespace

void fill(const void* value, void* out, std::int64_t count, std::int64_t element_bytes,
          Workers& workers) {
  switch (element_bytes) {
    case 1:
      return fill_elements<std::uint8_t>(value, out, count, workers);
    case 2:
      return fill_elements<std::uint16_t>(value, out, count, workers);
    case 4:
      return fill_elements<std::uint32_t>(value, out, count, workers);
    case 8:
      return fill_elements<std::uint64_t>(value, out, count, workers);
    default:
      ORTOOL_CHECK(element_bytes == 16);
      return fill_elements<FilledElement16>(value, out, count, workers);
  }
}

template <typename T>
void fill_range(T start, T delta, T* out, std::int64_t count, Workers& workers) {
  workers.parallel_ranges(count, fill_grain, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if constexpr (is_fp16<T>) {
        out[i] = convert_number<T>(static_cast<double>(to_float(start)) +
                                   static_cast<double>(i) * static_cast<double>(to_float(delta)));
      } else if constexpr (std::is_floating_point_v<T>) {
        out[i] = static_cast<T>(static_cast<double>(start) +
                                static_cast<double>(i) * static_cast<double>(delta));
      } else {
        const std::uint64_t offset =
            static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(delta);
        out[i] = static_cast<T>(static_cast<std::uint64_t>(start) + offset);
      }
    }
  });
}

template void fill_range(float, float, float*, std::int64_t, Workers&);
template void fill_range(double, double, double*, std::int64_t, Workers&);
template void fill_range(Float16Bits, Float16Bits, Float16Bits*, std::int64_t, Workers&);
template void fill_range(BFloat16Bits, BFloat16Bits, BFloat16Bits*, std::int64_t, Workers&);
template void fill_range(std::int16_t, std::int16_t, std::int16_t*, std::int64_t, Workers&);
template void fill_range(std::int32_t, std::int32_t, std::int32_t*, std::int64_t, Workers&);
template void fill_range(std::int64_t, std::int64_t, std::int64_t*, std::int64_t, Workers&);

}  // namespace ortool::cpu
