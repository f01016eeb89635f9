// SIMD lanes: four floats or two doubles at once, with the instructions that every build has.
#pragma once

#include <cstdint>
#include <cstring>

namespace ortool {

// Vector types of GCC and Clang; both compile them for every processor.
using FloatPair = float __attribute__((vector_size(8)));
using FloatLanes = float __attribute__((vector_size(16)));
using IntLanes = std::int32_t __attribute__((vector_size(16)));
using DoubleLanes = double __attribute__((vector_size(16)));

inline constexpr std::size_t float_lanes = 4;
inline constexpr std::size_t double_lanes = 2;

template <typename Lanes, typename Element>
Lanes load_lanes(const Element* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

template <typename Lanes, typename Element>
void store_lanes(Element* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof(lanes));
}

inline FloatLanes float_lanes_of(float number) {
  return FloatLanes{number, number, number, number};
}

/// Two floats in double precision.
inline DoubleLanes load_doubles(const float* from) {
  return __builtin_convertvector(load_lanes<FloatPair>(from), DoubleLanes);
}

}  // namespace ortool
