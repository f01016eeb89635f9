// Weighted sums of numbers from anywhere, one set of loops an instruction set.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

/// Tap k of output i is from[index[k * stride + i]] times weight[k * stride + i]; a negative index
/// is no tap.
struct GatherSum {
  const float* from;
  const int32_t* index;
  const float* weight;
  int64_t taps;
  int64_t stride;
  int64_t count;
  float* out;
};

namespace baseline {
void gather_sum(const GatherSum& sum);
}
namespace avx2 {
void gather_sum(const GatherSum& sum);
}
namespace avx512 {
void gather_sum(const GatherSum& sum);
}

}  // namespace ortool::cpu
