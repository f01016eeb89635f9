// NF4 and FP4: bitsandbytes' values of 4-bit codes.
#pragma once

namespace ortool {

constexpr int bnb4_codes = 16;

constexpr float nf4_values[bnb4_codes] = {
    -1.0F,
    -0.6961928009986877F,
    -0.5250730514526367F,
    -0.39491748809814453F,
    -0.28444138169288635F,
    -0.18477343022823334F,
    -0.09105003625154495F,
    0.0F,
    0.07958029955625534F,
    0.16093020141124725F,
    0.24611230194568634F,
    0.33791524171829224F,
    0.44070982933044434F,
    0.5626170039176941F,
    0.7229568362236023F,
    1.0F,
};

constexpr float fp4_values[bnb4_codes] = {
    0.0F,  5.208333333e-03F,  0.66666667F,  1.0F,  0.33333333F,  0.5F,  0.16666667F,  0.25F,
    -0.0F, -5.208333333e-03F, -0.66666667F, -1.0F, -0.33333333F, -0.5F, -0.16666667F, -0.25F};

constexpr const float* bnb4_values(bool is_nf4) {
  return is_nf4 ? nf4_values : fp4_values;
}

}  // namespace ortool
