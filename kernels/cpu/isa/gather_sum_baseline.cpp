// Weighted sums of gathered values for any processor.
#include "kernels/cpu/isa/gather_sum.hpp"

namespace ortool::cpu::baseline {
namespace {

void gather_sum(const GatherSum& sum) {
  static constexpr float nothing = 0.0F;
  for (int64_t i = 0; i < sum.count; ++i) {
    float value = 0.0F;
    for (int64_t tap = 0; tap < sum.taps; ++tap) {
      const int32_t index = sum.index[tap * sum.stride + i];
      const float* from = index < 0 ? &nothing : sum.from + index;
      const float product = sum.weight[tap * sum.stride + i] * *from;
      value += index < 0 ? 0.0F : product;
    }
    sum.out[i] = value;
  }
}

}  // namespace

const GatherSumFunction gather_sum_function = gather_sum;

}  // namespace ortool::cpu::baseline
