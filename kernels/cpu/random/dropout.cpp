// Dropout: random numbers are drawn in order by one thread, elements are processed by all.
#include "kernels/cpu/random/dropout.hpp"

#include <random>
#include <type_traits>

#include "kernels/cpu/types/convert_element.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t grain = 16384;

template <typename T>
void drop_elements(const T* in, const bool* kept, double ratio, T* out, std::int64_t count,
                   Workers& workers) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto scale = static_cast<Wide>(1 / (1 - ratio));
  workers.parallel_ranges(count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Wide x = kept[i] ? convert_number<Wide>(in[i]) * scale : Wide{0};
      out[i] = convert_number<T>(x);
    }
  });
}

}  // namespace

void draw_kept(std::uint32_t seed, double ratio, bool* kept, std::int64_t count) {
  std::mt19937 source(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto high = static_cast<double>(source() >> 5);
    const auto low = static_cast<double>(source() >> 6);
    kept[i] = (high * 0x1p26 + low) * 0x1p-53 >= ratio;
  }
}

void drop(DataType type, const void* in, const bool* kept, double ratio, void* out,
          std::int64_t count, Workers& workers) {
  const auto run = [&]<typename T>(T) {
    drop_elements(static_cast<const T*>(in), kept, ratio, static_cast<T*>(out), count, workers);
  };
  switch (type) {
    case DataType::float32:
      return run(float{});
    case DataType::float64:
      return run(double{});
    case DataType::float16:
      return run(Float16Bits{});
    case DataType::bfloat16:
      return run(BFloat16Bits{});
    default:
      ORTOOL_CHECK(false && "Dropout in training mode needs floats of at least 16 bits");
  }
}

}  // namespace ortool::cpu
