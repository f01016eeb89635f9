// The functions of one float for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/unary_float.inc"
