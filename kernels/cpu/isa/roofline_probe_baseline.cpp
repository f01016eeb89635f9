// Roofline probe for baseline processors.
#include "kernels/cpu/isa/roofline_probe.hpp"

namespace ortool::cpu::baseline {
namespace {

constexpr int lanes = 4;
constexpr int chains = 8;

float multiply_add(int64_t rounds) {
  float sums[chains][lanes];
  for (int i = 0; i < chains; ++i) {
    for (int lane = 0; lane < lanes; ++lane) sums[i][lane] = static_cast<float>(i + lane);
  }
  for (int64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < chains; ++i) {
      for (int lane = 0; lane < lanes; ++lane) sums[i][lane] = sums[i][lane] * 0.999F + 0.5F;
    }
  }
  float total = 0;
  for (int i = 0; i < chains; ++i) {
    for (int lane = 0; lane < lanes; ++lane) total += sums[i][lane];
  }
  return total;
}

void add_blocks(const float* a, const float* b, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

}  // namespace

const RooflineLoops roofline_loops = {&multiply_add, 2.0 * chains* lanes, &add_blocks};

}  // namespace ortool::cpu::baseline
