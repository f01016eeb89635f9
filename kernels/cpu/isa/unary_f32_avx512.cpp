// The functions of one float for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/isa/unary_f32.inc"
