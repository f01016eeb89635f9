// Hardmax: the search moves along the axis for all inner positions of a block at once.
#include "kernels/cpu/normalization/hardmax.hpp"

#include <algorithm>

#include "kernels/cpu/parallel/interruptible_loop.hpp"

namespace ortool::cpu {
namespace {

// clang-format off
double comparable(double value) { return value; }
float comparable(float value) { return value; }
float comparable(Float16Bits value) { return to_float(value); }
float comparable(BFloat16Bits value) { return to_float(value); }

template <typename T> T one_of() { return T(1); }
template <> Float16Bits one_of() { return to_float16(1.0F); }
template <> BFloat16Bits one_of() { return to_bfloat16(1.0F); }
// clang-format on

}  // namespace

template <typename T>
void hardmax(const T* in, T* out, SoftmaxSizes sizes, Workers& workers) {
  if (sizes.axis == 0) return;
  const std::int64_t slices = sizes.outer * sizes.inner;
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / sizes.axis);
  workers.parallel_ranges(slices, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slice = begin; slice < end; ++slice) {
      const std::int64_t start =
          slice / sizes.inner * sizes.axis * sizes.inner + slice % sizes.inner;
      std::int64_t best = 0;
      auto most = comparable(in[start]);
      interruptible_loop(sizes.axis, workers, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const auto value = comparable(in[start + i * sizes.inner]);
          out[start + i * sizes.inner] = T{};
          if (!(most != most) && (value > most || value != value)) {
            most = value;
            best = i;
          }
        }
      });
      out[start + best * sizes.inner] = one_of<T>();
    }
  });
}

template void hardmax(const float*, float*, SoftmaxSizes, Workers&);
template void hardmax(const double*, double*, SoftmaxSizes, Workers&);
template void hardmax(const Float16Bits*, Float16Bits*, SoftmaxSizes, Workers&);
template void hardmax(const BFloat16Bits*, BFloat16Bits*, SoftmaxSizes, Workers&);

}  // namespace ortool::cpu
