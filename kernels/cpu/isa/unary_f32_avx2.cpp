// The functions of one float for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/isa/unary_f32.inc"
