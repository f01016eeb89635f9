// The loops of softmax over floats, one set an instruction set.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

namespace baseline {
/// `rows` slices of `size` neighbouring floats; with `logarithm` their log-softmax.
void softmax_rows(const float* in, float* out, int64_t rows, int64_t size, bool logarithm);
/// `width` slices side by side: element i of each lies `stride` floats after element i - 1.
void softmax_columns(const float* in, float* out, int64_t size, int64_t stride, int64_t width,
                     bool logarithm);
}  // namespace baseline
namespace avx2 {
void softmax_rows(const float* in, float* out, int64_t rows, int64_t size, bool logarithm);
void softmax_columns(const float* in, float* out, int64_t size, int64_t stride, int64_t width,
                     bool logarithm);
}  // namespace avx2
namespace avx512 {
void softmax_rows(const float* in, float* out, int64_t rows, int64_t size, bool logarithm);
void softmax_columns(const float* in, float* out, int64_t size, int64_t stride, int64_t width,
                     bool logarithm);
}  // namespace avx512

}  // namespace ortool::cpu
