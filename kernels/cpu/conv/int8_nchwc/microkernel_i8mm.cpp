// Int8 NCHW16c microkernel for the dot products of ARMv8 (USMMLA and USDOT).
#define ORTOOL_ISA i8mm
#include "kernels/cpu/conv/int8_nchwc/dot_tiles.inc"
