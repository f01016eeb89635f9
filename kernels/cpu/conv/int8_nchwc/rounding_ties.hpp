// Rounding ties of int8 convolutions: float sums of 16 results in parallel, each in its own order.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {

/// Results that are summed in parallel as floats, and the maximum number of taps per window.
constexpr int tie_lanes = 16;
constexpr int max_tie_taps = 25;

/// Sixteen channels of a pixel, and the distance in bytes to the next sixteen.
struct TiePixel {
  const uint8_t* bytes;
  int64_t stride;
};

/// The packed weights of an output channel: steps of words of four weights.
struct TieWeights {
  const uint8_t* bytes;
  int64_t step;       ///< bytes from one step to the next
  int64_t word_step;  ///< bytes from one word to the next
};

/// The packed weights of up to 32 output channels, and the lanes that have one of them.
struct TiePair {
  TieWeights weights;    ///< of the first channel
  int64_t second_block;  ///< bytes to those of the channel 16 places further; 0: there is none
  uint16_t lanes;
};

/// Windows and weights of up to 16 results, summed in the order of channels, then taps.
struct TieLanes {
  const TiePixel* pixels;  ///< taps × lanes
  TiePair pairs[tie_lanes];
  int64_t pair_count;
  int32_t places[tie_lanes];  ///< of each lane's output channel in its pair
  float weight_scales[tie_lanes];
  int64_t taps;
  int64_t channels;
  int64_t chunks;        ///< steps a tap
  int64_t chunk_blocks;  ///< blocks of 16 channels a step
  int32_t image_zero;
  float image_scale;
  uint8_t image_flip;
};

/// sums[lane] = 0 + x * w + x * w …, with fused multiply-adds and x = ((byte ^ flip) - zero) *
/// scale.
using TieSumFunction = void (*)(const TieLanes& lanes, float* sums);

ORTOOL_ISA_KERNEL_OR_NULL(TieSumFunction, sum_tie_lanes, vbmi)

}  // namespace ortool::cpu
