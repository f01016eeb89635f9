// The functions of one float for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/unary_float.inc"
