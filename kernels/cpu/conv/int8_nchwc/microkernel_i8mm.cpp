// Int8 NCHW16c microkernel for the dot products of ARMv8 (USMMLA and USDOT).
#define ORTOOL_ISA i8mm
#include <arm_neon.h>
// With registers allocated per loop, g++ 12 copies four sums in each round of the widest tile.
#pragma GCC push_options
#pragma GCC optimize("ira-region=one")
#include "kernels/cpu/conv/int8_nchwc/dot_tiles.inc"
#pragma GCC pop_options
