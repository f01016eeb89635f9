// Masked maximum pooling, one plane a task.
#include "kernels/cpu/pooling/masked_max_pool.hpp"

#include <algorithm>
#include <limits>

namespace ortool::cpu {
namespace {

struct WindowSpan {
  std::int64_t begin;
  std::int64_t end;

  WindowSpan(const MaskedWindow& window, int axis, std::int64_t index) {
    const std::int64_t start = index * window.stride[axis] - window.pad[axis];
    begin = std::max<std::int64_t>(start, 0);
    end = std::min(start + window.kernel[axis], window.in[axis]);
  }
};

float masked_maximum(const MaskedWindow& window, const WindowSpan (&spans)[3], const float* x,
                     const std::int32_t* mask) {
  float best = std::numeric_limits<float>::lowest();
  for (std::int64_t i = spans[0].begin; i < spans[0].end; ++i) {
    for (std::int64_t j = spans[1].begin; j < spans[1].end; ++j) {
      for (std::int64_t k = spans[2].begin; k < spans[2].end; ++k) {
        const std::int64_t at = (i * window.in[1] + j) * window.in[2] + k;
        if ((at > 0 || window.masks_first_pixel) && mask[at] == 0) break;
        best = x[at] > best ? x[at] : best;
      }
    }
  }
  return best;
}

}  // namespace

void masked_max_pool(const MaskedWindow& window, const float* x, const std::int32_t* mask, float* y,
                     Workers& workers) {
  const std::int64_t plane = window.in[0] * window.in[1] * window.in[2];
  const std::int64_t result = window.out[0] * window.out[1] * window.out[2];
  workers.parallel_for(window.planes, [&](std::int64_t index) {
    const float* from = x + index * plane;
    const std::int32_t* masks = mask + index * plane % window.mask_planes;
    float* to = y + index * result;
    for (std::int64_t i = 0; i < window.out[0]; ++i) {
      for (std::int64_t j = 0; j < window.out[1]; ++j) {
        for (std::int64_t k = 0; k < window.out[2]; ++k) {
          const WindowSpan spans[3] = {{window, 0, i}, {window, 1, j}, {window, 2, k}};
          *to++ = masked_maximum(window, spans, from, masks);
        }
      }
      workers.poll();
    }
  });
}

}  // namespace ortool::cpu
