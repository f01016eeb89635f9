// Int8 NCHW16c microkernel for the dot products of ARMv8 (SDOT).
#define ORTOOL_ISA dotprod
#include "kernels/cpu/conv/int8_nchwc/dot_tiles.inc"
