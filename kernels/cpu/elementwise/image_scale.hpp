// ImageScaler (scale and per-channel bias) and the state update of Caffe2's GRUUnit.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// out = scale * in + bias[channel] for `images` images of `channels` planes of `pixels` values;
/// `bias` may be null. `out` may be `in`. T: float, double.
template <typename T>
void scale_image(const T* in, T* out, std::int64_t images, std::int64_t channels,
                 std::int64_t pixels, float scale, const float* bias, Workers& workers);

/// out = z h + (1 - z) tanh(o), where z = sigmoid of the second and o the third of the three parts
/// of a row of gates. Rows whose `lengths` entry is at most `step` keep their state, or become 0 if
/// they are dropped. T: float, double.
template <typename T>
void gru_unit(const T* hidden, const T* gates, const T* lengths, T step, bool drops, T* out,
              std::int64_t rows, std::int64_t size, Isa isa, Workers& workers);

}  // namespace ortool::cpu
